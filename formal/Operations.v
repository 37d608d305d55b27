(** What each operation promises, and the theorem once more for some of them in plain words. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Machine Contract Run Replay Checker.
Import ListNotations.
Open Scope Z_scope.

(** R below is 2^64 to the number of limbs. A flag says whether values are in Montgomery form. *)
Inductive operation :=
  | Addition | Subtraction | Negation | Doubling
  | Multiplication (montgomery : bool)          (* x*y/R, or x*y *)
  | Squaring (montgomery : bool)
  | MultiplyAdd                                 (* x*y/R + a *)
  | Reduction (montgomery : bool)               (* of a double-width x: x/R, or x *)
  | ToMontgomery | FromMontgomery               (* x*R, x/R *)
  | MultiplyBy (k : Z)
  | SumOfProducts (montgomery : bool) (count : nat)
  | DifferenceOfProducts
  | Fp2Multiplication (beta : Z)                (* in Fp[u], u^2 = beta *)
  | Fp2Squaring (beta : Z).

Definition system_v : convention :=
  Convention [RDI; RSI; RDX; RCX; R8; R9] [RBX; RBP; R12; R13; R14; R15] 128 0.
Definition windows : convention :=
  Convention [RCX; RDX; R8; R9] [RBX; RBP; RDI; RSI; R12; R13; R14; R15] 0 32.

Definition product_of (a b : nat) : expression := Times (Value a) (Value b).

Fixpoint sum_of (terms : list expression) : expression :=
  match terms with
  | [] => Integer 0
  | [t] => t
  | t :: rest => Plus t (sum_of rest)
  end.

(** Operand pointers, values behind each, the factor, and the claims on factor * z. *)
Definition meaning (f : operation) (r : Z) : nat * nat * Z * list expression :=
  let x := Value 0 in
  let y := Value 1 in
  let unit (montgomery : bool) := if montgomery then r else 1 in
  match f with
  | Addition => (2%nat, 1%nat, 1, [Plus x y])
  | Subtraction => (2%nat, 1%nat, 1, [Minus x y])
  | Negation => (1%nat, 1%nat, 1, [Minus (Integer 0) x])
  | Doubling => (1%nat, 1%nat, 1, [Plus x x])
  | Multiplication m => (2%nat, 1%nat, unit m, [product_of 0 1])
  | Squaring m => (1%nat, 1%nat, unit m, [product_of 0 0])
  | MultiplyAdd => (3%nat, 1%nat, r, [Plus (product_of 0 1) (Times (Integer r) (Value 2))])
  | Reduction m => (1%nat, 1%nat, unit m, [x])
  | ToMontgomery => (1%nat, 1%nat, 1, [Times (Integer r) x])
  | FromMontgomery => (1%nat, 1%nat, r, [x])
  | MultiplyBy k => (1%nat, 1%nat, 1, [Times (Integer k) x])
  | SumOfProducts m count =>
      (2%nat, count, unit m, [sum_of (map (fun i => product_of i (count + i)) (seq 0 count))])
  | DifferenceOfProducts => (2%nat, 2%nat, r, [Minus (product_of 0 2) (product_of 1 3)])
  | Fp2Multiplication beta =>
      (2%nat, 2%nat, r, [Plus (product_of 0 2) (Times (Integer beta) (product_of 1 3));
                         Plus (product_of 0 3) (product_of 1 2)])
  | Fp2Squaring beta =>
      (1%nat, 2%nat, r, [Plus (product_of 0 0) (Times (Integer beta) (product_of 1 1));
                         Plus (product_of 0 1) (product_of 0 1)])
  end.

(** The contract of an operation modulo p on n limbs. A lazy one takes values below 2p, and gives
    such, but for a reduction. A reduction that is not lazy takes values of 2n limbs, below p*R. *)
Definition contract_of (f : operation) (p : Z) (n : nat) (lazy : bool) (stack : Z)
    (calling : convention) : contract :=
  let r := radix ^ Z.of_nat n in
  let '(operands, beside, factor, claims) := meaning f r in
  let reduces := match f with Reduction _ => true | _ => false end in
  let plain := match f with Reduction m => negb m | _ => false end in
  let double := reduces && negb lazy in
  let range := if double then p * r else if lazy then 2 * p else p in
  Contract p n operands beside (if double then 2 * n else n)%nat range factor claims
           (if lazy && negb plain then range else p) stack calling.

(** ** In plain words *)

Section Plainly.
  Variables (p : Z) (n : nat) (used : Z) (calling : convention) (code : list Z) (cases : list case).
  Let r := radix ^ Z.of_nat n.

  Definition promises (f : operation) (what : (nat -> Z) -> Z -> Prop) : Prop :=
    let c := contract_of f p n false used calling in
    check c code cases = true ->
    exists steps, forall start, ready c code start ->
    exists last, run steps start = Some last /\
      let z := result_value c start last 0 in
      0 <= z < p /\ what (operand_value c start) z.

  Lemma first_result f e : claims (contract_of f p n false used calling) = [e] ->
    below (contract_of f p n false used calling) = p ->
    promises f (fun x z => (p | factor (contract_of f p n false used calling) * z - denote x e)).
  Proof.
    intros E B C. apply checked in C as (seen & steps & K). exists steps. intros start S.
    destruct (K start S) as (last & RN & D). exists last. split; [exact RN|]. cbv zeta. split.
    - rewrite <- B at 3. apply (result_below _ _ _ _ _ D). rewrite E. cbn. lia.
    - assert (modulus (contract_of f p n false used calling) = p) as M
        by (unfold contract_of; destruct (meaning f _) as [[[? ?] ?] ?]; reflexivity).
      rewrite <- M at 1. apply (function_is _ _ _ _ _ D). now rewrite E.
  Qed.

  Theorem multiplication : promises (Multiplication true)
    (fun x z => (p | r * z - x 0%nat * x 1%nat)).
  Proof. apply (first_result (Multiplication true) (product_of 0 1)); reflexivity. Qed.

  Theorem addition : promises Addition (fun x z => (p | 1 * z - (x 0%nat + x 1%nat))).
  Proof. apply (first_result Addition (Plus (Value 0) (Value 1))); reflexivity. Qed.

  Theorem subtraction : promises Subtraction (fun x z => (p | 1 * z - (x 0%nat - x 1%nat))).
  Proof. apply (first_result Subtraction (Minus (Value 0) (Value 1))); reflexivity. Qed.
End Plainly.
