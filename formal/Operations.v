(** What each operation promises, and the theorem once more for some of them in plain words. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Expression Processor Contract Areas Entry Replay Between
  Verdict.
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
  | Fp2Squaring (beta : Z)
  | RepeatedSquaring (count : nat)              (* x to the power 2^count, over R to 2^count - 1 *)
  | MultiplyByWords (count : nat)               (* x*k, for an integer k of so many words *)
  | DivstepUpdate                               (* a row of a matrix of divsteps, over 2^64 *)
  | WideReduction (most : Z)                    (* x/R, for x of 2n limbs below most*p*R *)
  | WideSum (plus minus : nat)                  (* so many less so many, of 2n limbs, modulo R^2 *)
  | WideProduct (most : Z).                     (* in Fp[u], u^2 = -1, modulo R^2 *)

(** Those whose results are integers of 2n limbs, modulo R^2 and not modulo p. *)
Definition is_wide (f : operation) : bool :=
  match f with WideSum _ _ | WideProduct _ => true | _ => false end.

(** An entry of a matrix of divsteps is this much less than the integer below 2^62 that is given. *)
Definition raised : Z := 2 ^ 61.

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
  | RepeatedSquaring count => (1%nat, 1%nat, r, [product_of (count - 1) (count - 1)])
  | MultiplyByWords _ => (2%nat, 1%nat, 1, [product_of 0 1])
  | DivstepUpdate =>
      (3%nat, 1%nat, radix, [Minus (Plus (product_of 0 2) (product_of 1 3))
                                   (Times (Integer raised) (Plus x y))])
  | WideReduction _ => (1%nat, 1%nat, r, [x])
  | WideSum plus minus =>
      ((plus + minus)%nat, 1%nat, 1,
       [Minus (sum_of (map Value (seq 0 plus))) (sum_of (map Value (seq plus minus)))])
  | WideProduct _ =>
      (2%nat, 2%nat, 1, [Minus (product_of 0 2) (product_of 1 3);
                         Plus (product_of 0 3) (product_of 1 2)])
  end.

(** Each number between is the square of the one before it, over R. *)
Definition numbers_between (f : operation) : list expression :=
  match f with
  | RepeatedSquaring count => map (fun i => product_of i i) (seq 0 (count - 1))
  | _ => []
  end.

(** ** Facts for the words below *)

Lemma squares p r x y z (k : nat) :
  (p | r ^ (2 ^ Z.of_nat k - 1) * y - x ^ (2 ^ Z.of_nat k)) -> (p | r * z - y * y) ->
  (p | r ^ (2 ^ Z.of_nat (S k) - 1) * z - x ^ (2 ^ Z.of_nat (S k))).
Proof.
  rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. set (h := 2 ^ Z.of_nat k).
  assert (0 < h) as P by (apply Z.pow_pos_nonneg; lia). intros [a A] [b B].
  replace (2 * h - 1) with ((h - 1) + (h - 1) + 1) by lia. replace (2 * h) with (h + h) by lia.
  rewrite !Z.pow_add_r, Z.pow_1_r by lia. set (t := r ^ (h - 1)) in *. set (u := x ^ h) in *.
  exists (t * t * b + a * (t * y + u)).
  replace (t * t * r * z - u * u)
    with (t * t * (r * z - y * y) + (t * y - u) * (t * y + u)) by ring.
  rewrite A, B. ring.
Qed.

Lemma nth_error_seq_first n : forall k from, (k < n)%nat ->
  nth_error (seq from n) k = Some (from + k)%nat.
Proof.
  induction n as [|n IH]; intros [|k] from L; cbn; try lia.
  - f_equal. lia.
  - rewrite IH by lia. f_equal. lia.
Qed.

Module Make (P : Processor).
Include Verdict.Make P.
Import P.

(** So many values of one range behind each pointer. *)
Definition alike (pointers beside words : nat) (range : Z) : list input :=
  flat_map (fun k => map (fun i => Input k (words * i) words range false) (seq 0 beside))
           (seq 0 pointers).

(** The contract of an operation modulo p on n limbs. A lazy one takes values below 2p, and gives
    such, but for a reduction. A reduction that is not lazy takes values of 2n limbs, below p*R.
    Wide results have 2n limbs, and are modulo R^2. *)
Definition contract_of (f : operation) (p : Z) (n : nat) (lazy : bool) (stack : Z)
    (calling : convention) : contract :=
  let r := radix ^ Z.of_nat n in
  let '(pointers, beside, factor, claims) := meaning f r in
  let reduces := match f with Reduction _ => true | _ => false end in
  let plain := match f with Reduction m => negb m | _ => false end in
  let double := reduces && negb lazy in
  let range := if double then p * r else if lazy then 2 * p else p in
  let values := match f with
                | MultiplyByWords count => [Input 0 0 n range false;
                                  Input 1 0 count (radix ^ Z.of_nat count) false]
                | DivstepUpdate =>
                    alike 1 2 n p ++ [Input 1 0 1 (2 ^ 62) false; Input 2 0 1 (2 ^ 62) false]
                | WideReduction most => alike 1 1 (2 * n) (most * p * r)
                | WideSum _ _ => alike pointers 1 (2 * n) (r * r)
                | WideProduct most => alike 2 2 n (most * p)
                | _ => alike pointers beside (if double then 2 * n else n) range
                end in
  Contract (if is_wide f then r * r else p) (if is_wide f then 2 * n else n) pointers values factor
           (numbers_between f) claims
           (if is_wide f then r * r else if lazy && negb plain then range else p) stack calling.

(** ** In plain words *)

Section Plainly.
  (** A processor's run of so many instructions, and a checker with its theorem. *)
  Variable run : nat -> state -> option state.
  Variable check : contract -> list Z -> certificate -> bool.
  Hypothesis checked : forall c code given, check c code given = true ->
    exists seen n, forall start, ready c code start ->
    exists last, run n start = Some last /\ done c code seen start last.

  Variables (p : Z) (n : nat) (used : Z) (calling : convention) (code : list Z).
  Variable given : certificate.
  Let r := radix ^ Z.of_nat n.

  Definition promises (f : operation) (what : (nat -> Z) -> Z -> Prop) : Prop :=
    let c := contract_of f p n false used calling in
    check c code given = true ->
    exists steps, forall start, ready c code start ->
    exists last, run steps start = Some last /\
      let z := result_value c start last 0 in
      0 <= z < p /\ what (operand_value c start) z.

  Lemma first_result f e : claims (contract_of f p n false used calling) = [e] ->
    is_wide f = false ->
    below (contract_of f p n false used calling) = p ->
    speaks_of (length (inputs (contract_of f p n false used calling))) e = true ->
    promises f (fun x z => (p | factor (contract_of f p n false used calling) * z - denote x e)).
  Proof.
    intros E W B L C. apply checked in C as (seen & steps & K). exists steps. intros start S.
    destruct (K start S) as (last & RN & D). exists last. split; [exact RN|]. cbv zeta. split.
    - rewrite <- B at 3. apply (result_below _ _ _ _ _ D). rewrite E. cbn. lia.
    - assert (modulus (contract_of f p n false used calling) = p) as M
        by (unfold contract_of; destruct (meaning f _) as [[[? ?] ?] ?]; rewrite W; reflexivity).
      rewrite <- M at 1. destruct (function_is _ _ _ _ _ D) as (values & V & _ & F).
      rewrite <- (denote_ext _ _ _ e L V). apply F. now rewrite E.
  Qed.

  Theorem multiplication : promises (Multiplication true)
    (fun x z => (p | r * z - x 0%nat * x 1%nat)).
  Proof. apply (first_result (Multiplication true) (product_of 0 1)); reflexivity. Qed.

  Theorem addition : promises Addition (fun x z => (p | 1 * z - (x 0%nat + x 1%nat))).
  Proof. apply (first_result Addition (Plus (Value 0) (Value 1))); reflexivity. Qed.

  Theorem subtraction : promises Subtraction (fun x z => (p | 1 * z - (x 0%nat - x 1%nat))).
  Proof. apply (first_result Subtraction (Minus (Value 0) (Value 1))); reflexivity. Qed.

  (** x0 and x1 times the entries u and v, over 2^64. *)
  Theorem divstep_update : promises DivstepUpdate (fun x z =>
    (p | radix * z - (x 0%nat * (x 2%nat - raised) + x 1%nat * (x 3%nat - raised)))).
  Proof.
    intros C. destruct (first_result DivstepUpdate _ eq_refl eq_refl eq_refl eq_refl C)
      as (steps & K).
    exists steps. intros start S. destruct (K start S) as (last & RN & B & D).
    exists last. split; [exact RN|]. split; [exact B|]. cbn [denote product_of] in D.
    match goal with |- (_ | _ - ?t) => match type of D with (_ | _ - ?u) =>
      replace t with u by ring end end. exact D.
  Qed.

  (** R to the power 2^count - 1, times z, is x to the power 2^count. *)
  Theorem repeated_squaring count : promises (RepeatedSquaring (S count))
    (fun x z => (p | r ^ (2 ^ Z.of_nat (S count) - 1) * z - x 0%nat ^ (2 ^ Z.of_nat (S count)))).
  Proof.
    unfold promises. set (c := contract_of _ _ _ _ _ _). intros C.
    apply checked in C as (seen & steps & K). exists steps. intros start S.
    destruct (K start S) as (last & RN & D). exists last. split; [exact RN|]. cbv zeta. split.
    - apply (result_below _ _ _ _ _ D). cbn. lia.
    - destruct (function_is _ _ _ _ _ D) as (values & V & B & F).
      rewrite <- (V 0%nat) by (cbn; lia).
      assert (forall k number, nth_error (between c) k = Some number ->
        (p | r * values (1 + k)%nat - denote values number)) as B' by exact B.
      specialize (F 0%nat _ eq_refl). cbn [denote product_of] in F.
      replace (Datatypes.S count - 1)%nat with count in F by lia.
      set (z := result_value c start last 0) in *. change (modulus c) with p in F.
      change (factor c) with r in F. clearbody z.
      assert (forall k, (k <= count)%nat ->
        (p | r ^ (2 ^ Z.of_nat k - 1) * values k - values 0%nat ^ (2 ^ Z.of_nat k))) as P.
      { induction k as [|k IH]; intros L.
        - change (2 ^ Z.of_nat 0) with 1. rewrite Z.pow_1_r. change (r ^ (1 - 1)) with 1.
          exists 0. ring.
        - apply squares with (y := values k); [apply IH; lia|].
          apply (B' k (product_of k k)).
          unfold c, contract_of, numbers_between; cbn [meaning between].
          replace (Datatypes.S count - 1)%nat with count by lia.
          now rewrite nth_error_map, nth_error_seq_first by lia. }
      apply squares with (y := values count); [apply P; lia | exact F].
  Qed.
End Plainly.

End Make.
