(** Formulas that users write: what their statement says, and that the checker's answer means it.

    A statement is that of fieldc's manifests: operands with their sizes, steps, and which numbers
    are the results. Numbers are counted: the operands' values first, then one for each step. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Expression Processor Contract Areas Entry Replay Between Verdict
  Operations.
Import ListNotations.
Open Scope Z_scope.

(** Below multiple * p^powers * 2^bits; a signed operand has words of that size, in two's
    complement. *)
Record size := Size { multiple : Z; powers : nat; bits : Z; has_sign : bool }.

Inductive step :=
  | Added (i j : nat)
  | Subtracted (i j : nat)
  | Multiplied (i j : nat)              (* i * j / R *)
  | Product (i j : nat)                 (* i * j *)
  | Scaled (i : nat) (c : Z)
  | Constant (c : Z)                    (* c * R *)
  | Divided (i : nat).                  (* i / R *)

Record formula := Formula {
  shapes : list (nat * size);           (* of each operand: how many values, of which size *)
  steps : list step;
  outcomes : list nat;                  (* the numbers of the results *)
  outcome : size
}.

Module Make (P : Processor).
Include Operations.Make P.
Import P.

Section Meaning.
  (** A processor's run of so many instructions, and a checker with its theorem. *)
  Variable run : nat -> state -> option state.
  Variable check : contract -> list Z -> certificate -> bool.
  Hypothesis checked : forall c code given, check c code given = true ->
    exists seen n, forall start, ready c code start ->
    exists last, run n start = Some last /\ done c code seen start last.

  Variables (p : Z) (n : nat).
  Let r := radix ^ Z.of_nat n.

  Definition less_than (s : size) : Z := multiple s * p ^ Z.of_nat (powers s) * 2 ^ bits s.

  (** Residues have the field's limbs, other numbers those that they need. *)
  Definition limbs_of (s : size) : nat :=
    if Nat.eqb (powers s) 1 && (bits s =? 0) then n
    else Z.to_nat ((Z.log2 (less_than s - 1) + 64) / 64).

  Definition values_of (f : formula) : list input :=
    flat_map (fun e => let '(k, (count, s)) := e in
        map (fun i => Input k (limbs_of s * i) (limbs_of s) (less_than s) (has_sign s))
            (seq 0 count))
      (combine (seq 0 (length (shapes f))) (shapes f)).

  (** What a step says of its number, z. *)
  Definition step_holds (x : nat -> Z) (z : Z) (s : step) : Prop :=
    match s with
    | Added i j => (p | z - (x i + x j))
    | Subtracted i j => (p | z - (x i - x j))
    | Multiplied i j => (p | r * z - x i * x j)
    | Product i j => (p | z - x i * x j)
    | Scaled i c => (p | z - c * x i)
    | Constant c => (p | z - c * r)
    | Divided i => (p | r * z - x i)
    end.

  (** The same with a number that is 1/R modulo p. *)
  Definition expression_of (inverse : Z) (s : step) : expression :=
    match s with
    | Added i j => Plus (Value i) (Value j)
    | Subtracted i j => Minus (Value i) (Value j)
    | Multiplied i j => Times (Integer inverse) (Times (Value i) (Value j))
    | Product i j => Times (Value i) (Value j)
    | Scaled i c => Times (Integer c) (Value i)
    | Constant c => Integer (c * r)
    | Divided i => Times (Integer inverse) (Value i)
    end.

  Definition formula_contract (f : formula) (inverse stack : Z) (calling : convention) : contract :=
    Contract p (limbs_of (outcome f)) (length (shapes f)) (values_of f) 1
      (map (expression_of inverse) (steps f)) (map Value (outcomes f)) (less_than (outcome f))
      stack calling.

  Definition formula_check (f : formula) (inverse stack : Z) (calling : convention) (code : list Z)
      (given : certificate) : bool :=
    ((r * inverse) mod p =? 1) && check (formula_contract f inverse stack calling) code given.

  Lemma expression_right inverse x z s : p <> 0 -> (r * inverse) mod p = 1 ->
    (p | 1 * z - denote x (expression_of inverse s)) -> step_holds x z s.
  Proof.
    intros N I. rewrite Z.mul_1_l.
    assert (exists q, r * inverse = p * q + 1) as [q Q].
    { exists (r * inverse / p). pose proof (Z.div_mod (r * inverse) p N). lia. }
    destruct s as [i j|i j|i j|i j|i c|c|i]; cbn [expression_of denote step_holds]; auto;
      intros [a A].
    - exists (r * a + q * (x i * x j)).
      replace (r * z - x i * x j)
        with (r * (z - inverse * (x i * x j)) + (r * inverse - 1) * (x i * x j)) by ring.
      rewrite A, Q. ring.
    - exists (r * a + q * x i).
      replace (r * z - x i) with (r * (z - inverse * x i) + (r * inverse - 1) * x i) by ring.
      rewrite A, Q. ring.
  Qed.

  (** That the numbers of the steps exist, and give the results. *)
  Definition formula_kept (f : formula) (c : contract) (start last : state) : Prop :=
    exists x, (forall q, (q < length (values_of f))%nat -> x q = operand_value c start q) /\
      (forall k s, nth_error (steps f) k = Some s ->
        step_holds x (x (length (values_of f) + k)%nat) s) /\
      (forall k q, nth_error (outcomes f) k = Some q -> let z := result_value c start last k in
        (p | z - x q) /\ 0 <= z < less_than (outcome f)).

  Lemma formula_done f inverse stack calling code seen start last :
    let c := formula_contract f inverse stack calling in
    p <> 0 -> (r * inverse) mod p = 1 -> done c code seen start last -> formula_kept f c start last.
  Proof.
    intros c N I D. subst c. destruct (function_is _ _ _ _ _ D) as (x & V & B & F).
    exists x. split; [exact V|]. split.
    - intros k s S. apply (expression_right inverse); [exact N | exact I|].
      apply (B k (expression_of inverse s)). cbn [between formula_contract].
      now apply map_nth_error.
    - intros k q Q. cbv zeta. split.
      + specialize (F k (Value q)). cbn [denote] in F.
        rewrite <- (Z.mul_1_l (result_value _ _ _ _)). apply F.
        cbn [claims formula_contract]. now apply map_nth_error.
      + apply (result_below _ _ _ _ _ D k). cbn [claims formula_contract]. rewrite map_length.
        apply nth_error_Some. congruence.
  Qed.

  (** What is accepted gives the numbers of the steps, in every run. *)
  Theorem formula_checked f inverse stack calling code given :
    let c := formula_contract f inverse stack calling in
    formula_check f inverse stack calling code given = true -> p <> 0 ->
    exists seen many, forall start, ready c code start ->
    exists last, run many start = Some last /\ done c code seen start last /\
      formula_kept f c start last.
  Proof.
    intros c. unfold formula_check. intros C N. apply andb_prop in C as [I C]. apply Z.eqb_eq in I.
    apply checked in C as (seen & many & K). exists seen, many. intros start R.
    destruct (K start R) as (last & RN & D). exists last. eauto using formula_done.
  Qed.
End Meaning.

End Make.
