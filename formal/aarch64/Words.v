(** Words of a kernel: constants, variables, and polynomials in a few carries.

    Words that are congruent modulo 2^64 are equal: of a word that a constant multiplies the residue
    is known, so what the code computes in two ways is one variable. *)

From Coq Require Import ZArith List Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms.
From Fieldc.aarch64 Require Import Carries.
Import ListNotations.
Open Scope Z_scope.

Record words := Words {
  known : system;
  hints : list (variable * Z * Z);     (* products by constants that the certificate names *)
  halves : list (polynomial * (polynomial * polynomial));   (* low and high half, by the product *)
  lows : list (variable * (polynomial * polynomial));   (* product and high half, by the low one *)
  residues : list (variable * (variable * Z));      (* x is factor * base modulo 2^64 *)
  congruents : list (variable * Z * variable);      (* the same, by base and factor *)
  named : list (polynomial * polynomial);           (* one variable, or a constant, for carries *)
  zeros : list (polynomial * polynomial);           (* a word, by the flag that says it is 0 *)
  made : list (Z * polynomial * (polynomial * polynomial));   (* rows: word and carry *)
  carries : list (variable * Z)                     (* the signs of the rows that they come from *)
}.

Definition with_known (s : system) (w : words) : words :=
  Words s (hints w) (halves w) (lows w) (residues w) (congruents w) (named w) (zeros w) (made w)
        (carries w).
Definition note_halves p l h (w : words) : words :=
  Words (known w) (hints w) ((p, (l, h)) :: halves w) (lows w) (residues w) (congruents w) (named w)
        (zeros w) (made w) (carries w).
Definition note_low x p h (w : words) : words :=
  Words (known w) (hints w) (halves w) ((x, (p, h)) :: lows w) (residues w) (congruents w) (named w)
        (zeros w) (made w) (carries w).
Definition note_name p q (w : words) : words :=
  Words (known w) (hints w) (halves w) (lows w) (residues w) (congruents w)
        ((q, q) :: (p, q) :: named w) (zeros w) (made w) (carries w).
Definition note_zero f p (w : words) : words :=
  Words (known w) (hints w) (halves w) (lows w) (residues w) (congruents w) (named w)
        ((f, p) :: zeros w) (made w) (carries w).
Definition note_row sign p a c (w : words) : words :=
  Words (known w) (hints w) (halves w) (lows w) (residues w) (congruents w) (named w) (zeros w)
        ((sign, p, (a, c)) :: made w)
        (match c with [(_, [x])] => (x, sign) :: carries w | _ => carries w end).

(** ** Look-ups *)

Fixpoint by_polynomial {A} (p : polynomial) (l : list (polynomial * A)) : option A :=
  match l with
  | [] => None
  | (q, a) :: l' => if same p q then Some a else by_polynomial p l'
  end.

Fixpoint by_variable {A} (x : variable) (l : list (variable * A)) : option A :=
  match l with
  | [] => None
  | (y, a) :: l' => if Pos.eqb x y then Some a else by_variable x l'
  end.

Fixpoint by_residue (x : variable) (f : Z) (l : list (variable * Z * variable)) : option variable :=
  match l with
  | [] => None
  | (y, g, a) :: l' => if Pos.eqb x y && (f =? g) then Some a else by_residue x f l'
  end.

Fixpoint by_row (sign : Z) (p : polynomial) (l : list (Z * polynomial * (polynomial * polynomial)))
    : option (polynomial * polynomial) :=
  match l with
  | [] => None
  | (t, q, a) :: l' => if (sign =? t) && same p q then Some a else by_row sign p l'
  end.

Definition note_residue (x b : variable) (f : Z) (w : words) : words :=
  Words (known w) (hints w) (halves w) (lows w) ((x, (b, f)) :: residues w)
        (match by_residue b f (congruents w) with
         | Some _ => congruents w
         | None => (b, f, x) :: congruents w
         end) (named w) (zeros w) (made w) (carries w).

(** ** Shapes of polynomials *)

Definition literal (c : Z) : polynomial := if c =? 0 then [] else constant c.

Definition as_number (p : polynomial) : option Z :=
  match p with [] => Some 0 | [(c, [])] => Some c | _ => None end.

Definition as_multiple (p : polynomial) : option (Z * variable) :=
  match p with [(c, [x])] => Some (c, x) | _ => None end.

Definition as_variable (p : polynomial) : option variable :=
  match p with [(1, [x])] => Some x | _ => None end.

Definition of_variable (x : variable) : polynomial := [(1, [x])].

Definition as_word_of (p : polynomial) : word :=
  match as_number p, as_variable p with
  | Some c, _ => Const c
  | None, Some x => Var x
  | None, None => Mixed p
  end.

Definition polynomial_of_word (a : word) : polynomial := tidy (word_polynomial a).

(** p + sign * q *)
Definition plus (p : polynomial) (sign : Z) (q : polynomial) : polynomial :=
  tidy (p ++ scale sign q).

Definition is_linear (p : polynomial) : bool :=
  forallb (fun t => Nat.leb (length (snd t)) 1) p.

Definition is_small (s : system) (x : variable) : bool :=
  Pos.ltb x (next s) && match high s x with Some h => h <? radix | None => false end.

(** ** Residues *)

Definition residue_of (p : polynomial) (w : words) : option (variable * Z) :=
  terms <- traverse (fun t : Z * monomial =>
    match snd t with
    | [x] =>
        match by_variable x (residues w) with
        | Some (b, f) => Some (fst t mod radix * f, [b])
        | None => Some (fst t mod radix, [x])
        end
    | _ => None
    end) p;
  match tidy (map (fun t => (fst t mod radix, snd t)) (normal terms)) with
  | [(f, [b])] => Some (b, f)
  | _ => None
  end.

(** The residue of a variable's word is remembered, if it has one. *)
Definition remember (p : polynomial) (residue : option (variable * Z)) (w : words) : words :=
  match as_variable p, residue with
  | Some x, Some (b, f) => note_residue x b f w
  | _, _ => w
  end.

(** ** Carries as words, and choices *)

Definition with_value (p : polynomial) (x : variable) (c : Z) : polynomial :=
  tidy (substitute [(x, c)] p).

Definition last_variable (p : polynomial) : option variable :=
  match variables_of [p] with
  | [] => None
  | x :: xs => Some (fold_right Pos.max x xs)
  end.

(** yes where a flag is set, else no: one choice for each bit of the flag. *)
Fixpoint pick (fuel : nat) (flag yes no : polynomial) (w : words)
    : option (polynomial * words) :=
  match last_variable flag with
  | None => c <- as_number flag; Some (if c =? 0 then no else yes, w)
  | Some x =>
      if same yes no then Some (yes, w)
      else
        match fuel with
        | O => None
        | S fuel' =>
            _ <- guard (is_bit (known w) x);
            '(set, w1) <- pick fuel' (with_value flag x 1) yes no w;
            '(clear, w2) <- pick fuel' (with_value flag x 0) yes no w1;
            if same set clear then Some (set, w2)
            else
              '(a, s) <- choose (Var x) (as_word_of set) (as_word_of clear) (known w2);
              Some (polynomial_of_word a, with_known s w2)
        end
  end.

Definition define_one (p : polynomial) (w : words) : option (polynomial * words) :=
  '(a, s) <- define_word p (known w); Some (polynomial_of_word a, with_known s w).

(** A constant or one variable that is equal to a word. *)
Definition single (p : polynomial) (w : words) : option (polynomial * words) :=
  match as_number p with
  | Some _ => Some (p, w)
  | None =>
      if are_bits (known w) [p] then
        match by_polynomial p (named w) with
        | Some q => Some (q, w)
        | None =>
            let vs := values_of p in
            let size := most_of vs in
            '(q, w1) <-
              (if (1 <? size) && (size <? radix) &&
                  forallb (fun v => (v =? 0) || (v =? size)) vs then
                 pick most_bits (tabulate [p] (fun l => Z.b2z (hd 0 l =? size))) (literal size) [] w
               else define_one p w);
            Some (q, note_name p q w1)
        end
      else Some (p, w)
  end.

Definition select (flag yes no : polynomial) (w : words) : option (polynomial * words) :=
  if are_bits (known w) [flag; yes; no] then
    Some (tabulate [flag; yes; no] (fun l => if hd 0 l =? 1 then nth 1 l 0 else nth 2 l 0), w)
  else
    '(yes, w1) <- single yes w;
    '(no, w2) <- single no w1;
    pick most_bits flag yes no w2.

(** ** Products *)

(** The low half of a product is a multiple of the power of two of a constant factor. *)
Definition power_of_two (c : Z) : Z := Z.gcd c (2 ^ 63).

Definition narrow_to (h : Z) (x : variable) (s : system) : system :=
  match high s x with
  | Some old => System (next s) (Map.add x (Z.min h old) (highs s)) (rows s) (next_row s)
                       (tops s) (masks s)
  | None => s
  end.

Definition narrow_by (factor : polynomial) (x : variable) (s : system) : system :=
  match as_number factor with
  | Some c => narrow_to (radix - power_of_two c) x s
  | None => s
  end.

Definition multiplied (a b right : polynomial) (w : words)
    : option (polynomial * polynomial * words) :=
  '(l, h, s) <- multiply (as_word_of a) (as_word_of b) (known w);
  let l' := polynomial_of_word l in
  let h' := polynomial_of_word h in
  match h', as_variable l' with
  | _ :: _, Some x =>
      Some (l', h', note_low x right h' (with_known (narrow_by b x (narrow_by a x s)) w))
  | _, _ => Some (l', h', with_known s w)
  end.

(** A low half that is also that of another multiple of the same variable: that half, the other's
    high half, the difference of the factors, and the variable. *)
Definition other_multiple (right : polynomial) (residue : option (variable * Z)) (w : words)
    : option (variable * polynomial * Z * variable) :=
  '(b, f) <- residue;
  low <- by_residue b f (congruents w);
  '(other, high) <- by_variable low (lows w);
  '(factor, x) <- as_multiple right;
  '(before, y) <- as_multiple other;
  _ <- guard (Pos.eqb x y && is_small (known w) x && (Z.abs (factor - before) <? radix));
  Some (low, high, factor - before, x).

(** Low and high half of a product: one row for each pair of factors. *)
Fixpoint product (fuel : nat) (a b : polynomial) (w : words)
    : option (polynomial * polynomial * words) :=
  match fuel with
  | O => None
  | S fuel' =>
      '(a, w) <- single a w;
      '(b, w) <- single b w;
      let right := tidy (times a b) in
      match as_number right, by_polynomial right (halves w) with
      | Some n, _ => Some (literal (n mod radix), literal (n / radix), w)
      | None, Some (l, h) => Some (l, h, w)
      | None, None =>
          let residue := residue_of right w in
          '(l, h, w) <-
            match other_multiple right residue w with
            | Some (low, high, difference, x) =>
                '(_, more, w) <- product fuel' (of_variable x) (literal (Z.abs difference)) w;
                '(total, w) <- define_one (plus high (Z.sgn difference) more) w;
                Some (of_variable low, total, w)
            | None => multiplied a b right w
            end;
          Some (l, h, remember l residue (note_halves right l h w))
      end
  end.

Definition most_products : nat := 8.

(** Makes the product whose low half is a residue, if the certificate names one. *)
Definition expect (b : variable) (wanted : Z) (w : words) : option words :=
  match List.find (fun e => let '(x, f, n) := e in
                      Pos.eqb x b && (f * n mod radix =? wanted)) (hints w) with
  | None => Some w
  | Some (_, f, n) =>
      _ <- guard (is_small (known w) b && (0 <=? f) && (f <? radix) && (0 <=? n) && (n <? radix));
      let before := by_residue b f (congruents w) in
      '(middle, w) <-
        match before with
        | Some x => Some (of_variable x, w)
        | None =>
            if 1 <? f then
              '(l, _, w) <- product most_products (of_variable b) (literal f) w; Some (l, w)
            else Some (of_variable b, w)
        end;
      '(_, _, w) <- product most_products middle (literal n) w;
      Some w
  end.

(** A word that is known to be this modulo 2^64, or half of a product that the code also needs. *)
Definition congruent (right : polynomial) (w : words) : option (option polynomial * words) :=
  match residue_of right w with
  | None => Some (None, w)
  | Some (b, f) =>
      if f =? 1 then
        _ <- guard (is_small (known w) b);
        Some (Some (of_variable b), w)
      else
        w <- match by_residue b f (congruents w) with Some _ => Some w | None => expect b f w end;
        Some (match by_residue b f (congruents w) with
              | Some x => Some (of_variable x)
              | None => None
              end, w)
  end.

(** Whether the certificate names the product of a word and a constant. *)
Definition expected_of (a b : polynomial) (w : words) : option (variable * Z * Z) :=
  n <- as_number b;
  _ <- guard (0 <? n);
  '(x, f) <- residue_of a w;
  Some (x, f, n).

Definition is_expected (a b : polynomial) (w : words) : bool :=
  match (match expected_of a b w with Some e => Some e | None => expected_of b a w end) with
  | Some (x, f, n) =>
      existsb (fun e => let '(y, g, m) := e in Pos.eqb x y && (f =? g) && (n =? m)) (hints w)
  | None => false
  end.

(** a * b mod 2^64 *)
Definition low_half (a b : polynomial) (w : words) : option (polynomial * words) :=
  '(a, w) <- single a w;
  '(b, w) <- single b w;
  '(found, w) <-
    (if is_expected a b w then Some (None, w) else congruent (tidy (times a b)) w);
  match found with
  | Some p => Some (p, w)
  | None => '(l, _, w) <- product most_products a b w; Some (l, w)
  end.

Definition high_half (a b : polynomial) (w : words) : option (polynomial * words) :=
  '(_, h, w) <- product most_products a b w; Some (h, w).

(** ** Rows *)

(** Whether sign * flag is a carry as the next limb of its chain takes it, and a constant. *)
Definition continues (flag : polynomial) (sign : Z) (w : words) : bool :=
  match variables_of [flag] with
  | [x] =>
      match by_variable x (carries w) with
      | Some own => existsb (fun t => (fst t =? own * sign) && same [t] [(fst t, [x])]) flag
      | None => false
      end
  | _ => false
  end.

(** word + sign * 2^64 * carry = right: one row for each right side and sign. *)
Definition row (right : polynomial) (sign : Z) (w : words)
    : option (polynomial * polynomial * words) :=
  match by_row sign right (made w) with
  | Some (a, c) => Some (a, c, w)
  | None =>
      '(a, c, s) <- define right sign (known w);
      let a := polynomial_of_word a in
      let c := polynomial_of_word c in
      Some (a, c, remember a (residue_of right w) (note_row sign right a c (with_known s w)))
  end.

(** Whether a word is 0: the borrow of the word less 1. *)
Definition zero_flag (p : polynomial) (w : words) : option (polynomial * words) :=
  '(_, borrow, w) <- row (plus p 1 (constant (-1))) (-1) w;
  Some (borrow, note_zero borrow p w).

(** The [and] of bits. A word is 0 and a bit 1 exactly where the word less the bit borrows. *)
Definition zero_and (zero bit : polynomial) (w : words) : option (polynomial * polynomial) :=
  p <- by_polynomial zero (zeros w);
  _ <- guard (forallb (fun v => v <=? 1) (values_of bit) &&
    forallb (fun x => Pos.ltb x (next (known w))) (variables_of [p]));
  Some (p, bit).

Definition both (a b : polynomial) (w : words) : option (polynomial * words) :=
  match (match zero_and a b w with Some e => Some e | None => zero_and b a w end) with
  | Some (p, bit) =>
      '(bit, w) <- (if continues bit (-1) w then Some (bit, w) else single bit w);
      '(_, borrow, w) <- row (plus p (-1) bit) (-1) w;
      Some (borrow, w)
  | None => Some (tabulate [a; b] (fun l => Z.land (hd 0 l) (nth 1 l 0)), w)
  end.
