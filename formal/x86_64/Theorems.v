(** The conventions of x86-64, its checkers, and their theorems: operations, formulas, and formulas
    that call routines. *)

From Coq Require Import ZArith List.
From Fieldc Require Import Word Verdict Formula.
From Fieldc.x86_64 Require Import Machine Kernel Run Checker.
Import ListNotations.
Open Scope Z_scope.

Definition system_v : convention :=
  Convention [RDI; RSI; RDX; RCX; R8; R9] [RBX; RBP; R12; R13; R14; R15] 128 0.
Definition windows : convention :=
  Convention [RCX; RDX; R8; R9] [RBX; RBP; RDI; RSI; R12; R13; R14; R15] 0 32.

Definition check : contract -> list Z -> certificate -> bool := CheckingX86_64.check tt.

Theorem checked c code given : check c code given = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof. exact (CheckingX86_64.checked tt c code given). Qed.

Definition multiplication := OfX86_64.multiplication run check checked.
Definition addition := OfX86_64.addition run check checked.
Definition subtraction := OfX86_64.subtraction run check checked.
Definition divstep_update := OfX86_64.divstep_update run check checked.
Definition repeated_squaring := OfX86_64.repeated_squaring run check checked.

Definition check_formula := OfX86_64.formula_check check.
Definition formula_checked := OfX86_64.formula_checked run check checked.

(** All routines follow System V: nobody else calls them. *)
Definition check_calls := CheckingX86_64.check_calls system_v.

Theorem calls_checked p limbs f inverse stack calling code routines :
  let c := formula_contract p limbs f inverse stack calling in
  check_calls p limbs f inverse stack calling code routines = true -> p <> 0 ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last /\
    formula_kept p limbs f c start last.
Proof.
  exact (CheckingX86_64.calls_checked system_v p limbs f inverse stack calling code routines).
Qed.
