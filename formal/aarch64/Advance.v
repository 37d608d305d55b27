(** Steps and runs of the processor. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes.
From Fieldc.aarch64 Require Import Machine Decode.
Import ListNotations.
Open Scope Z_scope.

(** The processor reads an instruction where [here] is, moves [here] behind it, and executes it.
    Instructions lie at multiples of 4. *)
Definition advance (s : state) : option state :=
  if here s mod 4 =? 0 then
    match decode (number (bytes_at (memory s) (here s) 4)) with
    | None => None
    | Some i => execute i (note (here s) 4 (go (here s + 4) s))
    end
  else None.

Fixpoint run (n : nat) (s : state) : option state :=
  match n with
  | O => Some s
  | S n' => match advance s with Some s' => run n' s' | None => None end
  end.
