(** The checkers and the processors as OCaml programs. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Fieldc.x86_64 Require Machine Kernel Run Checker Theorems.
From Fieldc.aarch64 Require Machine Kernel Advance Checker Theorems.

Module ForX86_64.
  Definition contract_of := x86_64.Kernel.OfX86_64.contract_of.
  Definition check := x86_64.Theorems.check.
  Definition check_formula := x86_64.Theorems.check_formula.
  Definition check_calls := x86_64.Theorems.check_calls.
  Definition system_v := x86_64.Theorems.system_v.
  Definition windows := x86_64.Theorems.windows.
  Definition advance := x86_64.Run.advance.
End ForX86_64.

Module ForAArch64.
  Definition contract_of := aarch64.Kernel.OfAArch64.contract_of.
  Definition check := aarch64.Theorems.check.
  Definition check_formula := aarch64.Theorems.check_formula.
  Definition check_calls := aarch64.Theorems.check_calls.
  Definition aapcs64 := aarch64.Theorems.aapcs64.
  Definition apple := aarch64.Theorems.apple.
  Definition windows := aarch64.Theorems.windows.
  Definition advance := aarch64.Advance.advance.
End ForAArch64.

Extraction Language OCaml.
Extraction "checker.ml" ForX86_64 ForAArch64.
