(** Integers made of numbers that are counted. *)

From Coq Require Import ZArith Lia Bool Arith.
Open Scope Z_scope.

Inductive expression :=
  | Value (k : nat)
  | Integer (z : Z)
  | Plus (a b : expression)
  | Minus (a b : expression)
  | Times (a b : expression).

Fixpoint denote (x : nat -> Z) (e : expression) : Z :=
  match e with
  | Value k => x k
  | Integer z => z
  | Plus a b => denote x a + denote x b
  | Minus a b => denote x a - denote x b
  | Times a b => denote x a * denote x b
  end.

(** Whether an expression speaks of the first n numbers only. *)
Fixpoint speaks_of (n : nat) (e : expression) : bool :=
  match e with
  | Value k => Nat.ltb k n
  | Integer _ => true
  | Plus a b | Minus a b | Times a b => speaks_of n a && speaks_of n b
  end.

Lemma denote_ext n x y e : speaks_of n e = true -> (forall k, (k < n)%nat -> x k = y k) ->
  denote x e = denote y e.
Proof.
  intros S E. induction e; cbn [speaks_of denote] in *;
    try (apply andb_prop in S as [S1 S2]; now rewrite IHe1, IHe2).
  - apply E. now apply Nat.ltb_lt.
  - reflexivity.
Qed.
