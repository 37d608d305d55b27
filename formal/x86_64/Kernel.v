(** Contracts for x86-64. *)

From Fieldc Require Import Formula.
From Fieldc.x86_64 Require Import Machine.

Module Export Kernel := Formula.Make X86_64.
