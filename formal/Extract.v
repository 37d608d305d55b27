(** The checker and the processor as OCaml programs. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Fieldc Require Import Word Machine Decode Contract Replay Between Run Checker Operations Formula.

Extraction Language OCaml.
Extraction "checker.ml" check contract_of check_formula check_calls
  system_v windows advance execute.
