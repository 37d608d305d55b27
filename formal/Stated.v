(** Formulas that call routines. A routine is a formula too. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Expression Processor Contract
  Areas Entry Replay Between Verdict Formula Forms Products Followed Runs Routine Ready Used
  Caller.
Import ListNotations.
Open Scope Z_scope.

Module Make (F : Followed).
Import F F.P F.K.
Include Caller.Make F.

(** Where a routine's code is, its stack, and its certificate. *)
Record stated := Stated {
  place_in_code : Z;
  statement : formula;
  own_stack : Z;
  own_choices : choices;
  own_certificate : certificate
}.

Section Calls.
  Variable inner : convention.   (* of all routines *)
  Variables (p : Z) (n : nat).
  Let r := radix ^ Z.of_nat n.

  Definition routine_of (inverse : Z) (s : stated) : routine :=
    Routine (place_in_code s) (formula_contract p n (statement s) inverse (own_stack s) inner)
      (own_choices s) (own_certificate s).

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
End Make.
