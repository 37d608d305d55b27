(** What a kernel promises, and what it needs: [ready] is the precondition, [done] the promise. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Bytes Expression Processor.
Import ListNotations.
Open Scope Z_scope.

Module Make (P : Processor).
Import P.

Record convention := Convention {
  arguments : list register;   (* pointers to z and the operands *)
  saved : list register;       (* kept by a function; the stack pointer is by itself *)
  red_zone : Z;                (* bytes below the stack pointer that an interrupt keeps *)
  home : Z                     (* bytes above these that a function may use *)
}.

(** A value behind a pointer: the limbs before it, its own limbs, what the number in them is below,
    and whether it is signed, in two's complement. *)
Record input := Input {
  pointer : nat;
  before : nat;
  width : nat;
  bound : Z;
  is_signed : bool
}.

(** What is promised. The operands' values are numbered in the order of [inputs], and the numbers
    between them and the result go on from there: factor * number = its expression, modulo p.
    The k-th of z's values is promised to be z with factor * z = claim modulo p, and z < below. *)
Record contract := Contract {
  modulus : Z;
  limbs : nat;          (* of one of z's values *)
  operands : nat;       (* pointers to operands *)
  inputs : list input;
  factor : Z;
  between : list expression;   (* each of the operands' values and of the numbers before it *)
  claims : list expression;
  below : Z;
  stack : Z;            (* bytes below the stack pointer that may be used *)
  calling : convention
}.

(** Areas of memory are named by what points to them on entry. *)
Inductive area := Result | Operand (k : nat) | Code | Stack | Entry (r : register).

Definition area_eq_dec (a b : area) : {a = b} + {a <> b}.
Proof. decide equality; [apply Nat.eq_dec | apply register_eq_dec]. Defined.

Definition argument (c : contract) (k : nat) : register :=
  nth k (arguments (calling c)) stack_pointer.

(** Where an area lies, by the state on entry. *)
Definition place (c : contract) (s : state) (a : area) : Z :=
  match a with
  | Result => registers s (argument c 0)
  | Operand k => registers s (argument c (S k))
  | Code => here s
  | Stack => registers s stack_pointer
  | Entry r => registers s r
  end.

(** Bytes of an operand: to the end of the last value behind its pointer. *)
Definition reach (c : contract) (k : nat) : Z :=
  fold_right (fun i most => if Nat.eqb (pointer i) k
                            then Z.max (8 * Z.of_nat (before i + width i)) most else most)
             0 (inputs c).

(** From where to where it reaches, from there. *)
Definition room (c : contract) (code : list Z) (a : area) : Z * Z :=
  match a with
  | Result => (0, 8 * Z.of_nat (limbs c * length (claims c)))
  | Operand k => (0, reach c k)
  | Code => (0, Z.of_nat (length code))
  | Stack => (- stack c, link_size + home (calling c))
  | Entry _ => (0, 0)
  end.

Definition inside (c : contract) (code : list Z) (a : area) (offset size : Z) : Prop :=
  fst (room c code a) <= offset /\ offset + size <= snd (room c code a).

(** Whether an address is in an area. *)
Definition within_area c code s a (address : Z) : Prop :=
  inside c code a (address - place c s a) 1.

(** What a kernel may write: z, and its stack less the return address. *)
Definition writable c code s (address : Z) : Prop :=
  within_area c code s Result address \/
  within_area c code s Stack address /\ ~ 0 <= address - place c s Stack < link_size.

Definition apart c code s a b : Prop :=
  forall address, within_area c code s a address -> within_area c code s b address -> False.

Fixpoint limbs_at (m : Z -> Z) (a : Z) (n : nat) : Z :=
  match n with O => 0 | S n' => load m a + radix * limbs_at m (a + 8) n' end.

Definition input_words (c : contract) (s : state) (i : input) : Z :=
  limbs_at (memory s) (place c s (Operand (pointer i)) + 8 * Z.of_nat (before i)) (width i).

(** What the number in n limbs stands for. *)
Definition read_as (signed : bool) (n : nat) (words : Z) : Z :=
  let all := radix ^ Z.of_nat n in
  if signed && (all <=? 2 * words) then words - all else words.

Definition input_value (c : contract) (s : state) (i : input) : Z :=
  read_as (is_signed i) (width i) (input_words c s i).

(** The q-th of the operands' values. *)
Definition operand_value (c : contract) (s : state) (q : nat) : Z :=
  nth q (map (input_value c s) (inputs c)) 0.

Definition result_value (c : contract) (s s' : state) (k : nat) : Z :=
  limbs_at (memory s') (place c s Result + 8 * Z.of_nat (limbs c * k)) (limbs c).

(** What holds where a kernel is entered. Operands may lie on z, on each other, or in the code. *)
Record ready (c : contract) (code : list Z) (s : state) : Prop := {
  entered_aligned : aligned s;
  words_are : forall r, is_word (registers s r);
  bytes_are : forall a, 0 <= memory s a < 256;
  code_is : forall i, (i < length code)%nat ->
    memory s (here s + Z.of_nat i) = nth i code 0;
  fits : forall a, fst (room c code a) < snd (room c code a) ->
    0 <= place c s a + fst (room c code a) /\ place c s a + snd (room c code a) <= radix;
  stack_apart : forall a, a <> Stack -> apart c code s a Stack;
  result_apart : apart c code s Result Code;
  values_below : forall i, In i (inputs c) -> input_words c s i < bound i
}.

(** An access: where, from the start of an area, and how many bytes. *)
Definition access_at c s (e : area * Z * Z) : Z * Z :=
  let '(a, offset, size) := e in (place c s a + offset, size).

(** What holds where it has returned. [seen] are the instructions and the accesses. *)
Record done (c : contract) (code : list Z) (seen : list (area * Z * Z)) (s s' : state) : Prop := {
  function_is : exists values : nat -> Z,
    (forall q, (q < length (inputs c))%nat -> values q = operand_value c s q) /\
    (forall k number, nth_error (between c) k = Some number ->
      (modulus c | factor c * values (length (inputs c) + k)%nat - denote values number)) /\
    (forall k claim, nth_error (claims c) k = Some claim ->
      (modulus c | factor c * result_value c s s' k - denote values claim));
  result_below : forall k, (k < length (claims c))%nat -> 0 <= result_value c s s' k < below c;
  returned : here s' = return_address s;
  stack_back : registers s' stack_pointer = (registers s stack_pointer + link_size) mod radix;
  saved_back : forall r, In r (saved (calling c)) -> registers s' r = registers s r;
  nothing_else : forall a, ~ writable c code s a -> memory s' a = memory s a;
  seen_is : trace s' = map (access_at c s) seen ++ trace s;
  seen_inside : forall a offset size, In (a, offset, size) seen -> inside c code a offset size
}.

End Make.
