(** Memory: a byte at each address, and words of 8 bytes, the least significant first. *)

From Coq Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

Fixpoint number (bytes : list Z) : Z :=
  match bytes with [] => 0 | b :: rest => b + 256 * number rest end.

Fixpoint bytes_at (m : Z -> Z) (a : Z) (n : nat) : list Z :=
  match n with O => [] | S n' => m a :: bytes_at m (a + 1) n' end.

Definition load (m : Z -> Z) (a : Z) : Z := number (bytes_at m a 8).

Definition store (m : Z -> Z) (a : Z) (w : Z) : Z -> Z :=
  fun b => if (a <=? b) && (b <? a + 8) then w / 256 ^ (b - a) mod 256 else m b.
