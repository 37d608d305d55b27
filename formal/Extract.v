(** The checker and the processor as OCaml programs. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Fieldc Require Import Word Machine Decode Contract Replay Between Run Checker Operations.

Extraction Language OCaml.
Extraction "checker.ml" check contract_of system_v windows advance execute.
