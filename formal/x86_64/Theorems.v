(** The conventions of x86-64, its checkers, and their theorems: operations, formulas, and formulas
    that call routines. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Expression Replay Between Verdict Formula.
From Fieldc.x86_64 Require Import Machine Kernel Run Checker Caller.
Import ListNotations.
Open Scope Z_scope.

Definition system_v : convention :=
  Convention [RDI; RSI; RDX; RCX; R8; R9] [RBX; RBP; R12; R13; R14; R15] 128 0.
Definition windows : convention :=
  Convention [RCX; RDX; R8; R9] [RBX; RBP; RDI; RSI; R12; R13; R14; R15] 0 32.

Definition multiplication := OfX86_64.multiplication run check checked.
Definition addition := OfX86_64.addition run check checked.
Definition subtraction := OfX86_64.subtraction run check checked.
Definition divstep_update := OfX86_64.divstep_update run check checked.
Definition repeated_squaring := OfX86_64.repeated_squaring run check checked.

Definition check_formula := OfX86_64.formula_check check.
Definition formula_checked := OfX86_64.formula_checked run check checked.

(** ** Formulas that call routines *)

(** A routine is a formula too: where its code is, its stack, and its certificate. *)
Record stated := Stated {
  place_in_code : Z;
  statement : formula;
  own_stack : Z;
  own_equalities : list equality;
  own_cases : list case
}.

Section Calls.
  Variables (p : Z) (n : nat).
  Let r := radix ^ Z.of_nat n.

  Definition routine_of (inverse : Z) (s : stated) : routine :=
    Routine (place_in_code s) (formula_contract p n (statement s) inverse (own_stack s) system_v)
      (Certificate (own_equalities s) (map (fun _ => Written) (steps (statement s)))
        (own_cases s)).

  Definition check_calls (f : formula) (inverse stack : Z) (calling : convention) (code : list Z)
      (routines : list stated) : bool :=
    ((r * inverse) mod p =? 1) &&
    check_caller (formula_contract p n f inverse stack calling) code r inverse
      (map (routine_of inverse) routines).

  Theorem calls_checked f inverse stack calling code routines :
    let c := formula_contract p n f inverse stack calling in
    check_calls f inverse stack calling code routines = true -> p <> 0 ->
    exists seen many, forall start, ready c code start ->
    exists last, run many start = Some last /\ done c code seen start last /\
      formula_kept p n f c start last.
  Proof.
    intros c. unfold check_calls. intros C N. apply andb_prop in C as [I C]. apply Z.eqb_eq in I.
    apply caller_checked in C as (seen & many & K). exists seen, many. intros start R.
    destruct (K start R) as (last & RN & D). exists last. eauto using formula_done.
  Qed.
End Calls.
