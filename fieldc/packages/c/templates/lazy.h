/* A residue that may be p or more, but is below 2p: what is computed with many
 * values of this type needs no subtraction of p after a product. It is another type than @name@, so
 * that a function takes the one that it is for; every @name@ is one, by to_lazy, and reduce gives
 * back the @name@ below p. All of these keep their results below 2p. Two of them may stand for the
 * same residue and differ: reduce them before they are compared. */
typedef struct @name@_lazy {
    uint64_t limbs[@limbs@];
} @name@_lazy;

void @name@_to_lazy(@name@_lazy *z, const @name@ *x); /* z = x */
void @name@_reduce(@name@ *z, const @name@_lazy *x);  /* z = x, below p */

/* z = x + y, x - y, x * y, x * x */
void @name@_lazy_add(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y);
void @name@_lazy_sub(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y);
void @name@_lazy_mul(@name@_lazy *z, const @name@_lazy *x, const @name@_lazy *y);
void @name@_lazy_square(@name@_lazy *z, const @name@_lazy *x);

