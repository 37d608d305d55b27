(** Sums, complements, shifts and masks of words, and that they are right. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms Areas.
From Fieldc.aarch64 Require Import Carries Words Facts Choices Halves Rows.
Import ListNotations.
Open Scope Z_scope.

Definition is_nothing (p : polynomial) : bool := match p with [] => true | _ => false end.

(** ** Sums and differences *)

(** What a sum or a difference of three words is modulo 2^64. *)
Definition total (sign : Z) (l : list Z) : Z :=
  (nth 0 l 0 + sign * (nth 1 l 0 + nth 2 l 0)) mod radix.

(** a + sign * (b + carry) as a row: the word, and its carry or borrow. *)
Definition sum_row (a b carry : polynomial) (sign : Z) (w : words)
    : option (polynomial * polynomial * words) :=
  let swaps := is_nothing carry && continues b sign w in
  let second := if swaps then carry else b in
  let third := if swaps then b else carry in
  '(a, w) <- single a w;
  '(second, w) <- single second w;
  '(third, w) <- (if continues third sign w then Some (third, w) else single third w);
  row (plus (plus a sign second) sign third) sign w.

(** The word alone. Of bits it is a polynomial in them, if that is linear or does not wrap. *)
Definition combined (a b carry : polynomial) (sign : Z) (w : words)
    : option (polynomial * words) :=
  '(found, w) <-
    (if are_bits (known w) [a; b; carry] then
       let found := tabulate [a; b; carry] (total sign) in
       Some (if is_linear found || same found (plus (plus a sign b) sign carry) then Some found
             else None, w)
     else if is_nothing carry then
       '(a, w) <- single a w;
       '(b, w) <- single b w;
       congruent (plus a sign b) w
     else Some (None, w));
  match found with
  | Some p => Some (p, w)
  | None => '(p, _, w) <- sum_row a b carry sign w; Some (p, w)
  end.

Lemma sum_row_right a b carry sign w r c w' v A B C :
  sum_row a b carry sign w = Some (r, c, w') -> right w v ->
  worth w v a A -> worth w v b B -> worth w v carry C -> is_word A -> is_word B -> is_word C ->
  sign = 1 \/ sign = -1 ->
  let T := A + sign * (B + C) in
  exists v', grows w v w' v' /\ worth w' v' r (T mod radix) /\ worth w' v' c (sign * (T / radix)).
Proof.
  unfold sum_row. intros D R WA WB WC IA IB IC S.
  set (swaps := is_nothing carry && continues b sign w) in *. clearbody swaps.
  unbind D. destruct p as [a1 w1]. unbind D. destruct p as [b1 w2]. unbind D.
  destruct p as [c1 w3].
  assert (exists Y X, worth w v (if swaps then carry else b) X /\
    worth w v (if swaps then b else carry) Y /\ is_word X /\ is_word Y /\ X + Y = B + C)
    as (Y & X & WX & WY & IX & IY & XY).
  { destruct swaps; [exists B, C | exists C, B]; repeat split; try assumption;
      try (apply IB || apply IC); lia. }
  destruct (single_right _ _ _ _ _ _ E R WA IA) as (v1 & G1 & W1).
  destruct (single_right _ _ _ _ _ _ E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WX) IX)
    as (v2 & G2 & W2).
  pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G12.
  pose proof (grows_worth _ _ _ _ _ _ G12 WY) as WY2.
  assert (exists v3, grows w2 v2 w3 v3 /\ worth w3 v3 c1 Y) as (v3 & G3 & W3).
  { destruct (continues _ sign w2).
    - injection E1 as <- <-. exists v2. split; [apply grows_refl, G12 | exact WY2].
    - eapply single_right; [exact E1 | apply G12 | exact WY2 | exact IY]. }
  pose proof (grows_trans _ _ _ _ _ _ G12 G3) as G13.
  pose proof (worth_plus _ _ _ _ sign _ _ (worth_plus _ _ _ _ sign _ _
    (grows_worth _ _ _ _ _ _ G3 (grows_worth _ _ _ _ _ _ G2 W1))
    (grows_worth _ _ _ _ _ _ G3 W2)) W3) as WT.
  destruct (row_right _ _ _ _ _ _ _ _ D (proj2 G13) WT) as (v4 & G4 & HA & HC).
  { unfold one_sided, is_word in *. destruct S as [-> | ->]; [left | right]; lia. }
  replace (A + sign * X + sign * Y) with (A + sign * (B + C)) in HA, HC
    by (rewrite <- XY; ring).
  exists v4. split; [exact (grows_trans _ _ _ _ _ _ G13 G4)|]. split; [exact HA | exact HC].
Qed.

Lemma combined_right a b carry sign w r w' v A B C :
  combined a b carry sign w = Some (r, w') -> right w v ->
  worth w v a A -> worth w v b B -> worth w v carry C -> is_word A -> is_word B -> is_word C ->
  sign = 1 \/ sign = -1 ->
  exists v', grows w v w' v' /\ worth w' v' r ((A + sign * (B + C)) mod radix).
Proof.
  unfold combined. intros D R WA WB WC IA IB IC S. unbind D. destruct p as [found w1].
  assert (exists v1, grows w v w1 v1 /\ forall q, found = Some q ->
    worth w1 v1 q ((A + sign * (B + C)) mod radix)) as (v1 & G1 & F).
  { destruct (are_bits (known w) [a; b; carry]) eqn:BB.
    - pose proof (worth_bits w v [a; b; carry] (total sign) [A; B; C] R BB
        (Forall2_cons _ _ WA (Forall2_cons _ _ WB (Forall2_cons _ _ WC (Forall2_nil _))))) as W.
      set (q := tabulate [a; b; carry] (total sign)) in *. clearbody q.
      change (total sign [A; B; C]) with ((A + sign * (B + C)) mod radix) in W.
      destruct (_ || _) in E; injection E as <- <-; exists v;
        (split; [now apply grows_refl|]); [|discriminate]. intros q' [= <-]. exact W.
    - destruct carry as [|t carry]; cbn [is_nothing] in E.
      + unbind E. destruct p as [a1 w2]. unbind E. destruct p as [b1 w3].
        destruct (single_right _ _ _ _ _ _ E0 R WA IA) as (v1 & G1 & W1).
        destruct (single_right _ _ _ _ _ _ E1 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WB) IB)
          as (v2 & G2 & W2).
        destruct (congruent_right _ _ _ _ _ _ E (proj2 G2) (worth_plus _ _ _ _ sign _ _
          (grows_worth _ _ _ _ _ _ G2 W1) W2)) as (v3 & G3 & F).
        assert (C = 0) as -> by exact (worth_unique _ _ _ _ _ WC (fun u _ => eq_refl)).
        rewrite Z.add_0_r. exists v3. split; [|exact F].
        exact (grows_trans _ _ _ _ _ _ (grows_trans _ _ _ _ _ _ G1 G2) G3).
      + injection E as <- <-. exists v. split; [now apply grows_refl | discriminate]. }
  destruct found as [q|].
  - injection D as <- <-. exists v1. auto.
  - unbind D. destruct p as [[q c] w2]. injection D as <- <-.
    pose proof (fun p P => grows_worth _ _ _ _ p P G1) as K.
    destruct (sum_row_right _ _ _ _ _ _ _ _ _ _ _ _ E0 (proj2 G1) (K _ _ WA) (K _ _ WB)
      (K _ _ WC) IA IB IC S) as (v2 & G2 & W2 & _).
    exists v2. split; [exact (grows_trans _ _ _ _ _ _ G1 G2) | exact W2].
Qed.

(** 2^64 - 1 - word *)
Definition inverted (p : polynomial) (w : words) : option (polynomial * words) :=
  if are_bits (known w) [p] then Some (tabulate [p] (fun l => radix - 1 - hd 0 l), w)
  else define_one (plus (constant (radix - 1)) (-1) p) w.

Lemma worth_bit_word w v p f A : right w v -> are_bits (known w) [p] = true -> worth w v p A ->
  worth w v (tabulate [p] f) (f [A]).
Proof.
  intros R B W. exact (worth_bits w v [p] f [A] R B (Forall2_cons _ _ W (Forall2_nil _))).
Qed.

Ltac table D W :=
  match type of D with
  | Some (?q, _) = _ =>
      let x := fresh "q" in
      cbn [hd] in W; set (x := q) in *; clearbody x; injection D as <- <-
  end.

Lemma inverted_right p w r w' v A : inverted p w = Some (r, w') -> right w v -> worth w v p A ->
  is_word A -> exists v', grows w v w' v' /\ worth w' v' r (radix - 1 - A).
Proof.
  unfold inverted. intros D R P W. destruct (are_bits _ _) eqn:B.
  - pose proof (worth_bit_word w v p (fun l => radix - 1 - hd 0 l) A R B P) as T.
    table D T. exists v. split; [now apply grows_refl | exact T].
  - eapply define_one_right; [exact D | exact R | |].
    + intros u U. rewrite value_plus, (P u U). cbn [constant value Polynomial.product]. lia.
    + unfold is_word in *. lia.
Qed.

(** ** Shifts *)

(** word * 2^k mod 2^64 and word / 2^k, for 0 <= k < 64 *)
Definition left_by (k : Z) (p : polynomial) (w : words) : option (polynomial * words) :=
  _ <- guard ((0 <=? k) && (k <? 64));
  if are_bits (known w) [p] then Some (tabulate [p] (fun l => hd 0 l * 2 ^ k mod radix), w)
  else if k =? 0 then Some (p, w)
  else low_half p (constant (2 ^ k)) w.

Definition right_by (k : Z) (p : polynomial) (w : words) : option (polynomial * words) :=
  _ <- guard ((0 <=? k) && (k <? 64));
  if are_bits (known w) [p] then Some (tabulate [p] (fun l => hd 0 l / 2 ^ k), w)
  else if k =? 0 then Some (p, w)
  else high_half p (constant (2 ^ (64 - k))) w.

Lemma power_word k : 0 <= k < 64 -> is_word (2 ^ k).
Proof.
  intros K. split; [apply Z.pow_nonneg; lia|]. apply Z.pow_lt_mono_r; lia.
Qed.

Lemma worth_constant w v c : worth w v (constant c) c.
Proof. intros u _. cbn [constant value Polynomial.product]. ring. Qed.

Lemma in_range_right k a b : (a <=? k) && (k <? b) = true -> a <= k < b.
Proof.
  intros K. apply andb_prop in K as [K1 K2]. apply Z.leb_le in K1. apply Z.ltb_lt in K2. lia.
Qed.

Lemma left_by_right k p w r w' v A : left_by k p w = Some (r, w') -> right w v -> worth w v p A ->
  is_word A -> 0 <= k < 64 /\ exists v', grows w v w' v' /\ worth w' v' r (A * 2 ^ k mod radix).
Proof.
  unfold left_by. intros D R P W. destruct (_ && _) eqn:K in D; [|discriminate D].
  cbn [guard bind] in D. apply in_range_right in K. split; [exact K|].
  destruct (are_bits _ _) eqn:B.
  - pose proof (worth_bit_word w v p (fun l => hd 0 l * 2 ^ k mod radix) A R B P) as T.
    table D T. exists v. split; [now apply grows_refl | exact T].
  - destruct (Z.eqb_spec k 0) as [->|N].
    + injection D as <- <-. exists v. split; [now apply grows_refl|].
      rewrite Z.pow_0_r, Z.mul_1_r, Z.mod_small by exact W. exact P.
    + exact (low_half_right _ _ _ _ _ _ _ _ D R P (worth_constant _ _ _) W (power_word _ K)).
Qed.

Lemma right_by_right k p w r w' v A : right_by k p w = Some (r, w') -> right w v ->
  worth w v p A -> is_word A ->
  0 <= k < 64 /\ exists v', grows w v w' v' /\ worth w' v' r (A / 2 ^ k).
Proof.
  unfold right_by. intros D R P W. destruct (_ && _) eqn:K in D; [|discriminate D].
  cbn [guard bind] in D. apply in_range_right in K. split; [exact K|].
  destruct (are_bits _ _) eqn:B.
  - pose proof (worth_bit_word w v p (fun l => hd 0 l / 2 ^ k) A R B P) as T.
    table D T. exists v. split; [now apply grows_refl | exact T].
  - destruct (Z.eqb_spec k 0) as [->|N].
    + injection D as <- <-. exists v. split; [now apply grows_refl|].
      rewrite Z.pow_0_r, Z.div_1_r. exact P.
    + destruct (high_half_right _ _ _ _ _ _ _ _ D R P (worth_constant _ _ _) W
        (power_word (64 - k) ltac:(lia))) as (v' & G & H).
      exists v'. split; [exact G|].
      replace (A / 2 ^ k) with (A * 2 ^ (64 - k) / radix); [exact H|].
      assert (radix = 2 ^ k * 2 ^ (64 - k)) as ->.
      { rewrite <- Z.pow_add_r by lia. replace (k + (64 - k)) with 64 by lia. reflexivity. }
      apply Z.div_mul_cancel_r; apply Z.pow_nonzero; lia.
Qed.

(** A word that is known to be at most h. *)
Definition define_low (h : Z) (p : polynomial) (w : words) : option (polynomial * words) :=
  let (x, s) := fresh h (known w) in
  Some (polynomial_of_word x, with_known (add_row (minus (word_polynomial x) p) s) w).

Lemma define_low_right h p w r w' v T : define_low h p w = Some (r, w') -> right w v ->
  worth w v p T -> 0 <= T <= h -> exists v', grows w v w' v' /\ worth w' v' r T.
Proof.
  unfold define_low. intros D R P B. destruct (fresh h (known w)) as [x s] eqn:F.
  injection D as <- <-.
  destruct (fresh_right _ _ v T _ _ F (right_good _ _ R) B) as (v' & X & G & M).
  exists v'. split; [|now apply worth_of_word]. apply right_system; [exact R | exact X|].
  apply add_row_right; [exact G|]. intros u U.
  pose proof (always_extends _ _ _ _ _ X P u U) as V. cbv beta in V.
  rewrite value_minus, value_word, (M u U), V. lia.
Qed.

(** word mod 2^k, for 0 < k < 64 *)
Definition low_bits (k : Z) (p : polynomial) (w : words) : option (polynomial * words) :=
  _ <- guard ((1 <=? k) && (k <? 64));
  if are_bits (known w) [p] then Some (tabulate [p] (fun l => hd 0 l mod 2 ^ k), w)
  else
    most <- largest_of (known w) p;
    if most <? 2 ^ k then Some (p, w)
    else
      '(top, w) <- right_by k p w;
      define_low (2 ^ k - 1) (plus p (- 2 ^ k) top) w.

Lemma largest_worth w v p A h : right w v -> worth w v p A -> largest_of (known w) p = Some h ->
  A <= h.
Proof.
  intros R P L. rewrite <- (always_now _ _ _ P : value v p = A).
  apply (largest_of_right v (known w)); [|exact L]. apply (always_now _ _ _ R).
Qed.

Lemma low_bits_right k p w r w' v A : low_bits k p w = Some (r, w') -> right w v ->
  worth w v p A -> is_word A ->
  0 < k < 64 /\ exists v', grows w v w' v' /\ worth w' v' r (A mod 2 ^ k).
Proof.
  unfold low_bits. intros D R P W. destruct (_ && _) eqn:K in D; [|discriminate D].
  cbn [guard bind] in D. apply in_range_right in K. split; [lia|].
  destruct (are_bits _ _) eqn:B.
  - pose proof (worth_bit_word w v p (fun l => hd 0 l mod 2 ^ k) A R B P) as T.
    table D T. exists v. split; [now apply grows_refl | exact T].
  - unbind D. destruct (Z.ltb_spec z (2 ^ k)) as [L|L].
    + injection D as <- <-. exists v. split; [now apply grows_refl|].
      pose proof (largest_worth _ _ _ _ _ R P E). rewrite Z.mod_small; [exact P|].
      unfold is_word in W. lia.
    + unbind D. destruct p0 as [top w1].
      destruct (right_by_right _ _ _ _ _ _ _ E0 R P W) as (_ & v1 & G1 & W1).
      pose proof (worth_plus _ _ _ _ (- 2 ^ k) _ _ (grows_worth _ _ _ _ _ _ G1 P) W1) as WT.
      assert (0 < 2 ^ k) as PK by (apply Z.pow_pos_nonneg; lia).
      replace (A + - 2 ^ k * (A / 2 ^ k)) with (A mod 2 ^ k) in WT
        by (rewrite Z.mod_eq by lia; ring).
      pose proof (Z.mod_pos_bound A (2 ^ k) PK).
      destruct (define_low_right _ _ _ _ _ _ _ D (proj2 G1) WT ltac:(lia)) as (v2 & G2 & W2).
      exists v2. split; [exact (grows_trans _ _ _ _ _ _ G1 G2) | exact W2].
Qed.

(** ** Masks *)

(** The [and] of a word and a mask, if that is one: all ones or 0, or low ones. *)
Definition masked_by (mask p : polynomial) (w : words) : option (polynomial * words) :=
  _ <- guard (are_bits (known w) [mask]);
  if forallb (fun v => (v =? 0) || (v =? radix - 1)) (values_of mask) then
    select (tabulate [mask] (fun l => Z.b2z (hd 0 l =? radix - 1))) p [] w
  else
    c <- as_number mask;
    _ <- guard (c =? 2 ^ Z.log2 (c + 1) - 1);
    low_bits (Z.log2 (c + 1)) p w.

Definition is_mask (mask : polynomial) (w : words) : bool :=
  are_bits (known w) [mask] &&
  (forallb (fun v => (v =? 0) || (v =? radix - 1)) (values_of mask) ||
   match as_number mask with Some c => c =? 2 ^ Z.log2 (c + 1) - 1 | None => false end).

Definition masked (a b : polynomial) (w : words) : option (polynomial * words) :=
  if is_mask a w then masked_by a b w else masked_by b a w.

Lemma land_ones_word A : is_word A -> Z.land (radix - 1) A = A.
Proof.
  intros W. change (radix - 1) with (Z.ones 64). rewrite Z.land_comm, Z.land_ones by lia.
  apply Z.mod_small. exact W.
Qed.

Lemma masked_by_right m p w r w' v M A : masked_by m p w = Some (r, w') -> right w v ->
  worth w v m M -> worth w v p A -> is_word M -> is_word A ->
  exists v', grows w v w' v' /\ worth w' v' r (Z.land M A).
Proof.
  unfold masked_by. intros D R WM WA IM IA. destruct (are_bits _ _) eqn:B; [|discriminate D].
  cbn [guard bind] in D. pose proof (values_have _ _ _ _ R B WM) as IN.
  destruct (forallb _ _) eqn:F.
  - rewrite forallb_forall in F. specialize (F _ IN).
    destruct (select_right _ _ _ _ _ _ v (M =? radix - 1) A 0 D R
      (worth_bit_word w v m (fun l => Z.b2z (hd 0 l =? radix - 1)) M R B WM) WA
      (fun u _ => eq_refl) IA ltac:(split; [lia | reflexivity])) as (v' & G & W).
    exists v'. split; [exact G|]. destruct (Z.eqb_spec M (radix - 1)) as [->|N].
    + rewrite land_ones_word by exact IA. exact W.
    + apply orb_prop in F as [F|F]; [|discriminate F]. apply Z.eqb_eq in F. subst M. exact W.
  - unbind D. rename z into c. destruct (Z.eqb_spec c (2 ^ Z.log2 (c + 1) - 1)) as [Q|];
      [|discriminate D]. cbn [guard bind] in D.
    pose proof (worth_unique _ _ _ _ _ WM (worth_number _ v _ _ E)) as ->.
    destruct (low_bits_right _ _ _ _ _ _ _ D R WA IA) as (K & v' & G & W).
    exists v'. split; [exact G|]. set (k := Z.log2 (c + 1)) in *. clearbody k. subst c.
    replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia).
    rewrite Z.land_comm, Z.land_ones by lia. exact W.
Qed.

Lemma masked_right a b w r w' v A B : masked a b w = Some (r, w') -> right w v ->
  worth w v a A -> worth w v b B -> is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' r (Z.land A B).
Proof.
  unfold masked. intros D R WA WB IA IB. destruct (is_mask a w).
  - eapply masked_by_right; eauto.
  - rewrite Z.land_comm. eapply masked_by_right; eauto.
Qed.
