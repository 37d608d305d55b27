(** Contracts for AArch64. *)

From Fieldc Require Import Formula.
From Fieldc.aarch64 Require Import Machine.

Module Export OfAArch64 := Formula.Make AArch64.
