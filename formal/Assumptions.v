(** What the theorems rest on besides Coq: nothing, says the build, or it fails. *)

From Fieldc.x86_64 Require Import Theorems.
From Fieldc.aarch64 Require Theorems.

Print Assumptions checked.
Print Assumptions multiplication.
Print Assumptions addition.
Print Assumptions subtraction.
Print Assumptions divstep_update.
Print Assumptions repeated_squaring.
Print Assumptions formula_checked.
Print Assumptions calls_checked.
Print Assumptions aarch64.Theorems.checked.
Print Assumptions aarch64.Theorems.multiplication.
Print Assumptions aarch64.Theorems.addition.
Print Assumptions aarch64.Theorems.subtraction.
Print Assumptions aarch64.Theorems.divstep_update.
Print Assumptions aarch64.Theorems.repeated_squaring.
Print Assumptions aarch64.Theorems.formula_checked.
Print Assumptions aarch64.Theorems.calls_checked.
