(** Contracts for x86-64. *)

From Fieldc Require Import Formula.
From Fieldc.x86_64 Require Import Machine.

Module Export OfX86_64 := Formula.Make X86_64.
