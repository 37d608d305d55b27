/* ---- Values below 2p ---- */

void @name@_to_lazy(@name@_lazy *z, const @name@ *x)
{
    int i;
    for (i = 0; i < @limbs@; i++)
        z->limbs[i] = x->limbs[i];
}

void @name@_reduce(@name@ *z, const @name@_lazy *x)
{
    @name@_run()->reduce_lazy(z->limbs, x->limbs);
}

void @name@_lazy_add(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y)
{
    @name@_run()->add_lazy(z->limbs, x->limbs, y->limbs);
}

void @name@_lazy_sub(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y)
{
    @name@_run()->sub_lazy(z->limbs, x->limbs, y->limbs);
}

void @name@_lazy_mul(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y)
{
    @name@_run()->mul_lazy(z->limbs, x->limbs, y->limbs);
}

void @name@_lazy_square(@name@_lazy *z, const @name@_lazy *x)
{
    @name@_run()->square_lazy(z->limbs, x->limbs);
}

