(** The checker and the processor as OCaml programs. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Fieldc Require Import Verdict Operations Formula.
From Fieldc.x86_64 Require Import Machine Kernel Run Checker Theorems.

Extraction Language OCaml.
Extraction "checker.ml" check Kernel.contract_of check_formula check_calls
  system_v windows advance execute.
