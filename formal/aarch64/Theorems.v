(** The conventions of AArch64, its checkers, and their theorems: operations, formulas, and formulas
    that call routines. *)

From Coq Require Import ZArith List.
From Fieldc Require Import Word Verdict Formula.
From Fieldc.aarch64 Require Import Machine Kernel Advance Run Checker.
Import ListNotations.
Open Scope Z_scope.

Definition arguments_of_all : list register := [X0; X1; X2; X3; X4; X5; X6; X7].
Definition saved_by_all : list register :=
  [X19; X20; X21; X22; X23; X24; X25; X26; X27; X28; X29; X30].

(** X18 belongs to two of the systems. *)
Definition aapcs64 : convention := Convention arguments_of_all saved_by_all 0 0.
Definition apple : convention := Convention arguments_of_all (X18 :: saved_by_all) 128 0.
Definition windows : convention := Convention arguments_of_all (X18 :: saved_by_all) 0 0.

Definition check : list hint -> contract -> list Z -> certificate -> bool := CheckingAArch64.check.

Theorem checked hints c code given : check hints c code given = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof. exact (CheckingAArch64.checked hints c code given). Qed.

Section Hints.
  Variable hints : list hint.

  Definition multiplication :=
    OfAArch64.multiplication run (check hints) (checked hints).
  Definition addition := OfAArch64.addition run (check hints) (checked hints).
  Definition subtraction := OfAArch64.subtraction run (check hints) (checked hints).
  Definition divstep_update :=
    OfAArch64.divstep_update run (check hints) (checked hints).
  Definition repeated_squaring :=
    OfAArch64.repeated_squaring run (check hints) (checked hints).

  Definition check_formula := OfAArch64.formula_check (check hints).
  Definition formula_checked := OfAArch64.formula_checked run (check hints) (checked hints).
End Hints.

(** Routines follow the convention of their caller. *)
Definition check_calls p limbs f inverse stack calling code routines : bool :=
  CheckingAArch64.check_calls calling p limbs f inverse stack calling code routines.

Theorem calls_checked p limbs f inverse stack calling code routines :
  let c := formula_contract p limbs f inverse stack calling in
  check_calls p limbs f inverse stack calling code routines = true -> p <> 0 ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last /\
    formula_kept p limbs f c start last.
Proof.
  exact (CheckingAArch64.calls_checked calling p limbs f inverse stack calling code routines).
Qed.
