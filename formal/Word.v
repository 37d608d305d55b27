(** Words: numbers below 2^64. *)

From Coq Require Import ZArith.
Open Scope Z_scope.

Definition radix : Z := 2 ^ 64.
Definition is_word (w : Z) : Prop := 0 <= w < radix.
