(** A table of a formula's products, and values for their variables. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Expression Options Forms.
Import ListNotations.
Open Scope Z_scope.

Notation table := (list (polynomial * polynomial)).

Definition mentions_below (next : variable) (f : polynomial) : bool :=
  forallb (fun t => forallb (fun y => Pos.ltb y next) (snd t)) f.

(** Whether each product is of variables before its own. *)
Fixpoint in_order (next : variable) (l : table) : bool :=
  match l with
  | [] => true
  | (f, g) :: rest =>
      mentions_below next f && mentions_below next g && in_order (Pos.succ next) rest
  end.

Definition with_table (a : algebra) (l : table) : algebra :=
  Algebra (prime a) (unit a) (first a) l.

Definition is_number (f : polynomial) : bool :=
  forallb (fun t => match snd t with [] => true | _ => false end) f.

Section Gather.
  Variable a : algebra.

  Definition with_product (l : table) (f g : polynomial) : table :=
    let f' := snd (primitive f) in
    let g' := snd (primitive g) in
    if is_number f || is_number g then l
    else match find_product (first a) l f' g' with
         | Some _ => l
         | None => l ++ [(f', g')]
         end.

  (** A value's form, where each new product is put into the table. *)
  Fixpoint gather (forms : list polynomial) (l : table) (e : expression)
      : option (polynomial * table) :=
    match e with
    | Value k => f <- nth_error forms k; Some (f, l)
    | Integer z => Some (reduced a (constant z), l)
    | Plus d e =>
        '(f, l1) <- gather forms l d; '(g, l2) <- gather forms l1 e; Some (reduced a (f ++ g), l2)
    | Minus d e =>
        '(f, l1) <- gather forms l d; '(g, l2) <- gather forms l1 e;
        Some (reduced a (minus f g), l2)
    | Times d e =>
        '(f, l1) <- gather forms l d;
        '(g, l2) <- gather forms l1 e;
        let l3 := with_product l2 f g in
        h <- product_form (with_table a l3) f g;
        Some (h, l3)
    end.

  Fixpoint gather_all (forms : list polynomial) (l : table) (es : list expression)
      : option table :=
    match es with
    | [] => Some l
    | e :: es' => '(f, l1) <- gather forms l e; gather_all (forms ++ [f]) l1 es'
    end.
End Gather.

(** Values for the variables of products, one after the other. *)
Fixpoint with_products (k : Z) (x : valuation) (next : variable) (l : table) : valuation :=
  match l with
  | [] => x
  | (f, g) :: rest =>
      with_products k (update x next (k * (value x f * value x g))) (Pos.succ next) rest
  end.

Lemma with_products_below k l : forall x next y, (y < next)%positive ->
  with_products k x next l y = x y.
Proof.
  induction l as [|[f g] l IH]; cbn [with_products]; intros x next y L; [reflexivity|].
  rewrite IH by lia. unfold update. destruct (Pos.eqb_spec y next); [lia | reflexivity].
Qed.

Lemma value_agree next f x y : mentions_below next f = true -> agree next x y ->
  value x f = value y f.
Proof.
  intros M A. induction f as [|[k m] f IH]; [reflexivity|]. unfold mentions_below in M.
  cbn [forallb snd] in M. apply andb_prop in M as [M1 M2]. cbn [value].
  rewrite (IH M2). do 2 f_equal. induction m as [|v m IHm]; [reflexivity|].
  cbn [forallb] in M1. apply andb_prop in M1 as [M1 M3]. cbn [product].
  rewrite (IHm M3), (A v); [reflexivity|]. now apply Pos.ltb_lt.
Qed.

Lemma with_products_right k l : forall x next f g y, in_order next l = true ->
  find_product next l f g = Some y -> let x' := with_products k x next l in
  x' y = k * (value x' f * value x' g).
Proof.
  induction l as [|[a b] l IH]; cbn [in_order find_product with_products];
    intros x next f g y O F; [discriminate F|].
  apply andb_prop in O as [O O3]. apply andb_prop in O as [O1 O2].
  destruct (_ || _) eqn:E in F; [|now apply IH]. injection F as <-. cbv zeta.
  set (x1 := update x next (k * (value x a * value x b))).
  set (x' := with_products k x1 (Pos.succ next) l).
  assert (agree next x x') as A.
  { intros v L. unfold x'. rewrite with_products_below by lia. unfold x1, update.
    destruct (Pos.eqb_spec v next); [lia | reflexivity]. }
  assert (x' next = k * (value x' a * value x' b)) as P.
  { rewrite <- (value_agree next a x x' O1 A), <- (value_agree next b x x' O2 A).
    unfold x'. rewrite with_products_below by lia. unfold x1, update.
    now rewrite Pos.eqb_refl. }
  apply orb_prop in E as [E|E]; apply andb_prop in E as [E1 E2];
    apply same_right in E1, E2; subst; [exact P | rewrite P; ring].
Qed.

Lemma products_have_values a k x : in_order (first a) (products a) = true -> prime a <> 0 ->
  (unit a * k) mod prime a = 1 ->
  products_right a (with_products k x (first a) (products a)).
Proof.
  intros O N U f g y F. rewrite (with_products_right _ _ _ _ _ _ _ O F).
  set (z := _ * value _ g). pose proof (Z.div_mod (unit a * k) (prime a) N) as D.
  exists (unit a * k / prime a * z).
  replace (unit a * (k * z)) with (unit a * k * z) by ring. rewrite D at 1. rewrite U. ring.
Qed.
