(** What the theorems rest on besides Coq: nothing, says the build, or it fails. *)

From Fieldc.x86_64 Require Import Checker Theorems.

Print Assumptions checked.
Print Assumptions multiplication.
Print Assumptions addition.
Print Assumptions subtraction.
Print Assumptions repeated_squaring.
Print Assumptions formula_checked.
Print Assumptions calls_checked.
