(** Products, their halves, and words that are congruent to others, are right. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms Areas.
From Fieldc.aarch64 Require Import Carries Words Facts Choices.
Import ListNotations.
Open Scope Z_scope.

(** ** The low half of a multiple *)

Lemma power_divides c : 0 < power_of_two c /\ (power_of_two c | c) /\ (power_of_two c | radix).
Proof.
  unfold power_of_two. pose proof (Z.gcd_divide_l c (2 ^ 63)) as L.
  pose proof (Z.gcd_divide_r c (2 ^ 63)) as R. pose proof (Z.gcd_nonneg c (2 ^ 63)) as N.
  split; [|split; [exact L|]].
  - destruct (Z.eq_dec (Z.gcd c (2 ^ 63)) 0) as [E|]; [|lia].
    apply Z.gcd_eq_0_r in E. discriminate E.
  - eapply Z.divide_trans; [exact R|]. exists 2. reflexivity.
Qed.

Lemma low_of_multiple g x : 0 < g -> (g | x) -> (g | radix) -> x mod radix <= radix - g.
Proof.
  intros P [k K] [m M]. pose proof (Z.mod_pos_bound x radix eq_refl) as B.
  rewrite Z.mod_eq in * by discriminate. set (q := x / radix) in *. clearbody q.
  assert (x - radix * q = g * (k - m * q)) as E by (rewrite K, M; ring).
  rewrite E in *. set (t := k - m * q) in *. clearbody t. clear - P M B.
  assert (t < m) as L by (apply (Z.mul_lt_mono_pos_l g); lia).
  assert (g * t <= g * (m - 1)) as L2 by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.

Lemma narrow_to_right h x s v : good s v -> always s v (fun u => u x <= h) ->
  good (narrow_to h x s) v /\ next (narrow_to h x s) = next s.
Proof.
  intros G B. unfold narrow_to. destruct (high s x) as [old|] eqn:O; [|auto].
  split; [|reflexivity]. intros u U. destruct (G u U) as [R Z T M]. constructor; auto.
  intros y k. unfold high; cbn [highs]. destruct (Pos.eq_dec y x) as [->|D].
  - rewrite Map.gss. intros [= <-]. specialize (R x old O). specialize (B u U). cbv beta in B. lia.
  - rewrite Map.gso by exact D. apply R.
Qed.

Lemma narrow_by_right factor x s v A B : good s v -> always s v (fun u => u x = A * B mod radix) ->
  (forall c, as_number factor = Some c -> c = A \/ c = B) ->
  good (narrow_by factor x s) v /\ next (narrow_by factor x s) = next s.
Proof.
  intros G L F. unfold narrow_by. destruct (as_number factor) as [c|]; [|auto].
  destruct (power_divides c) as (P & D & M). apply narrow_to_right; [exact G|]. intros u U.
  rewrite (L u U). apply low_of_multiple; [exact P | | exact M].
  destruct (F c eq_refl) as [->| ->]; [now apply Z.divide_mul_l | now apply Z.divide_mul_r].
Qed.

Lemma halves_word A B : is_word A -> is_word B -> is_word (A * B / radix).
Proof.
  unfold is_word. intros WA WB. split.
  - apply Z.div_pos; [nia | reflexivity].
  - apply Z.div_lt_upper_bound; [reflexivity|]. nia.
Qed.

Lemma multiplied_right a b right_ w l h w' v A B : multiplied a b right_ w = Some (l, h, w') ->
  right w v -> worth w v a A -> worth w v b B -> worth w v right_ (A * B) ->
  is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' l (A * B mod radix) /\ worth w' v' h (A * B / radix).
Proof.
  unfold multiplied. intros M R WA WB WR IA IB. unbind M. destruct p as [[l0 h0] s].
  destruct (multiply_right _ _ _ v A B _ _ _ E (right_good _ _ R) (worth_as_word _ _ _ _ WA)
    (worth_as_word _ _ _ _ WB) IA IB) as (v' & X & G & ML & MH).
  pose proof (right_system _ _ _ _ R X G) as GS.
  pose proof (worth_of_word (with_known s w) v' _ _ ML) as WL.
  pose proof (worth_of_word (with_known s w) v' _ _ MH) as WH.
  assert (Some (polynomial_of_word l0, polynomial_of_word h0, with_known s w) = Some (l, h, w') ->
    exists v', grows w v w' v' /\ worth w' v' l (A * B mod radix) /\
      worth w' v' h (A * B / radix)) as Plain.
  { intros [= <- <- <-]. exists v'. auto. }
  destruct (polynomial_of_word h0) as [|t h1] eqn:H; [now apply Plain|].
  destruct (as_variable (polynomial_of_word l0)) as [x|] eqn:V; [|now apply Plain].
  injection M as <- <- <-. clear Plain.
  assert (always s v' (fun u => u x = A * B mod radix)) as LX.
  { intros u U. rewrite <- (as_variable_right _ _ V). now apply WL. }
  assert (forall p P, worth w v p P -> forall c, as_number p = Some c -> c = P) as N.
  { intros p P WP c C. exact (worth_unique _ _ _ _ _ (worth_number _ v _ _ C) WP). }
  destruct (narrow_by_right a x s v' A B G LX) as [G1 N1]; [eauto|].
  destruct (narrow_by_right b x (narrow_by a x s) v' A B G1) as [G2 N2].
  { unfold always in *. now rewrite N1. } { eauto. }
  set (s' := narrow_by b x (narrow_by a x s)) in *.
  assert (next s' = next s) as NS by congruence.
  assert (extends (known w) v s' v') as X' by (unfold extends in *; now rewrite NS).
  pose proof (right_system _ _ _ _ R X' G2) as [_ R'].
  assert (worth (with_known s' w) v' (polynomial_of_word l0) (A * B mod radix)) as WL'
    by (unfold worth, always in *; cbn [with_known known] in *; now rewrite NS).
  assert (worth (with_known s' w) v' (t :: h1) (A * B / radix)) as WH'
    by (unfold worth, always in *; cbn [with_known known] in *; now rewrite NS).
  exists v'. split; [|split; [exact WL' | exact WH']]. split; [exact X'|].
  apply right_low; [exact R'|]. intros u U.
  rewrite (WH' u U), <- (as_variable_right _ _ V), (WL' u U).
  pose proof (always_extends _ _ _ _ _ X' WR u U) as Q. cbv beta in Q. rewrite Q.
  split; reflexivity.
Qed.

(** ** Products *)

Lemma small_right w v x : right w v -> is_small (known w) x = true ->
  worth w v (of_variable x) (v x) /\ is_word (v x).
Proof.
  unfold is_small. intros R S. apply andb_prop in S as [L H]. apply Pos.ltb_lt in L. split.
  - intros u U. rewrite value_of_variable. symmetry. now apply U.
  - destruct (high (known w) x) as [h|] eqn:E; [|discriminate]. apply Z.ltb_lt in H.
    destruct (always_now _ _ _ R) as [HO _]. pose proof (in_range _ _ HO x h E).
    unfold is_word. lia.
Qed.

Lemma other_multiple_right p residue w low high d x v A :
  other_multiple p residue w = Some (low, high, d, x) -> right w v -> worth w v p A ->
  (forall b f, residue = Some (b, f) ->
    always (known w) v (fun u => value u p mod radix = (f * u b) mod radix)) ->
  exists before X, worth w v (of_variable low) (before * X mod radix) /\
    worth w v high (before * X / radix) /\ worth w v (of_variable x) X /\ is_word X /\
    Z.abs d < radix /\ A = (d + before) * X /\ A mod radix = before * X mod radix.
Proof.
  unfold other_multiple. intros O R P F. unbind O. destruct p0 as [b f]. unbind O. unbind O.
  destruct p0 as [other hi]. unbind O. destruct p0 as [factor y]. unbind O.
  destruct p0 as [before z]. destruct (_ && _) eqn:C in O; [|discriminate O].
  cbn [guard bind] in O. injection O as <- <- <- <-. apply andb_prop in C as [C D].
  apply Z.ltb_lt in D. apply andb_prop in C as [C L]. apply Pos.eqb_eq in C. subst z.
  destruct (small_right _ _ _ R L) as [WY IY].
  apply by_residue_in in E0. apply by_variable_in in E1.
  pose proof (as_multiple_right _ _ _ E2) as M1. pose proof (as_multiple_right _ _ _ E3) as M2.
  assert (always (known w) v (fun u => u y = v y)) as Y
    by (intros u U; rewrite <- value_of_variable; now apply WY).
  assert (A = factor * v y) as AV by (rewrite <- (always_now _ _ _ P : value v p = A); apply M1).
  exists before, (v y).
  split; [|split; [|split; [exact WY|split; [exact IY|split; [exact D|split]]]]].
  - intros u U. rewrite value_of_variable. destruct (R u U) as [_ H].
    destruct (lows_hold _ _ H _ _ _ E1) as [-> _]. rewrite M2. now rewrite (Y u U).
  - intros u U. destruct (R u U) as [_ H]. destruct (lows_hold _ _ H _ _ _ E1) as [_ ->].
    rewrite M2. now rewrite (Y u U).
  - rewrite AV. ring.
  - assert (agree (next (known w)) v v) as V by (intros ? _; reflexivity).
    destruct (R v V) as [_ H]. pose proof (congruents_hold _ _ H _ _ _ E0) as Q.
    pose proof (F b f eq_refl v V) as Q2. cbv beta in Q2.
    rewrite (always_now _ _ _ P : value v p = A) in Q2. rewrite Q2, <- Q.
    destruct (lows_hold _ _ H _ _ _ E1) as [-> _]. now rewrite M2.
Qed.

Lemma same_low A B d x t : A = B + d * x -> A mod radix = B mod radix ->
  t = Z.sgn d -> B / radix + t * (Z.abs d * x / radix) = A / radix.
Proof.
  intros E M ->. pose proof (Z.div_mod A radix ltac:(discriminate)) as DA.
  pose proof (Z.div_mod B radix ltac:(discriminate)) as DB.
  set (k := A / radix - B / radix).
  assert (d * x = k * radix) as K by (unfold k; rewrite Z.mul_sub_distr_r; lia).
  destruct (Z.lt_trichotomy d 0) as [N|[->|N]].
  - rewrite Z.abs_neq, Z.sgn_neg by lia. replace (- d * x) with (- k * radix) by lia.
    rewrite Z.div_mul by discriminate. lia.
  - assert (k = 0) as K0 by (apply (Z.mul_reg_r _ _ radix); [discriminate | lia]).
    cbn [Z.abs Z.sgn]. unfold k in K0. lia.
  - rewrite Z.abs_eq, Z.sgn_pos by lia. rewrite K, Z.div_mul by discriminate. lia.
Qed.

Lemma product_right fuel : forall a b w l h w' v A B, product fuel a b w = Some (l, h, w') ->
  right w v -> worth w v a A -> worth w v b B -> is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' l (A * B mod radix) /\ worth w' v' h (A * B / radix).
Proof.
  induction fuel as [|fuel IH]; cbn [product]; intros a0 b0 w0 l h w' v0 A B P R0 WA0 WB0 IA IB;
    [discriminate P|].
  unbind P. destruct p as [a w1]. unbind P. destruct p as [b w].
  destruct (single_right _ _ _ _ _ _ E R0 WA0 IA) as (v1 & G1 & WA1).
  destruct (single_right _ _ _ _ _ _ E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WB0) IB)
    as (v & G2 & WB).
  pose proof (grows_worth _ _ _ _ _ _ G2 WA1) as WA.
  pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G. pose proof (proj2 G) as R.
  set (q := tidy (times a b)) in *.
  assert (worth w v q (A * B)) as WQ.
  { intros u U. unfold q. now rewrite value_tidy, value_times, (WA u U), (WB u U). }
  clearbody q. clear E E0 G1 G2 WA1.
  destruct (as_number q) as [n|] eqn:N.
  { injection P as <- <- <-. exists v. split; [exact G|].
    rewrite (worth_unique _ _ _ _ _ WQ (worth_number _ v _ _ N)).
    split; apply worth_literal. }
  destruct (by_polynomial q (halves w)) as [[l0 h0]|] eqn:F.
  { injection P as <- <- <-. exists v. split; [exact G|]. apply by_polynomial_in in F.
    split; intros u U; destruct (R u U) as [_ H]; destruct (halves_hold _ _ H _ _ _ F) as [HL HH];
      [rewrite HL | rewrite HH]; now rewrite (WQ u U). }
  unbind P. destruct p as [[l0 h0] w2]. injection P as <- <- <-.
  assert (forall b f, residue_of q w = Some (b, f) -> always (known w) v (fun u =>
    value u q mod radix = (f * u b) mod radix)) as RES.
  { intros b' f' RE u U. apply divides_same. apply (residue_of_right u w);
      [apply (R u U) | exact RE]. }
  assert (exists v2, grows w v w2 v2 /\ worth w2 v2 l0 (A * B mod radix) /\
    worth w2 v2 h0 (A * B / radix)) as (v2 & GW & WL & WH).
  { destruct (other_multiple q (residue_of q w) w) as [[[[low high] d] x]|] eqn:O;
      [|eapply multiplied_right; eauto].
    destruct (other_multiple_right _ _ _ _ _ _ _ v _ O R WQ RES)
      as (before & X & LO & HI & WX & IX & SD & AB & SM).
    unbind E. destruct p as [[low2 more] w3]. unbind E. destruct p as [total w4].
    injection E as <- <- <-.
    destruct (IH _ _ _ _ _ _ _ _ _ E0 R WX (worth_literal _ _ (Z.abs d)) IX
      ltac:(unfold is_word; lia)) as (v3 & G3 & _ & WM).
    pose proof (worth_plus _ _ _ _ (Z.sgn d) _ _ (grows_worth _ _ _ _ _ _ G3 HI) WM) as WT.
    rewrite (Z.mul_comm X), (same_low (A * B) (before * X) d X) in WT
      by (assumption || reflexivity || (rewrite AB; ring)).
    destruct (define_one_right _ _ _ _ _ _ E1 (proj2 G3) WT (halves_word _ _ IA IB))
      as (v4 & G4 & W4).
    pose proof (grows_trans _ _ _ _ _ _ G3 G4) as G34.
    exists v4. split; [exact G34|]. split; [|exact W4]. rewrite SM.
    exact (grows_worth _ _ _ _ _ _ G34 LO). }
  exists v2. destruct GW as [XW RW].
  assert (right (note_halves q l0 h0 w2) v2) as RH.
  { apply right_halves; [exact RW|]. intros u U. rewrite (WL u U), (WH u U).
    pose proof (always_extends _ _ _ _ _ XW WQ u U) as V. cbv beta in V. rewrite V.
    split; reflexivity. }
  assert (right (remember l0 (residue_of q w) (note_halves q l0 h0 w2)) v2) as RM.
  { apply right_remember; [exact RH|]. intros b' f' RE u U. rewrite (WL u U).
    pose proof (always_extends _ _ _ _ _ XW (RES _ _ RE) u U) as V. cbv beta in V.
    pose proof (always_extends _ _ _ _ _ XW WQ u U) as V2. cbv beta in V2.
    rewrite <- V, V2. reflexivity. }
  unfold worth, grows in *. rewrite known_remember. cbn [note_halves known] in *.
  split; [|split; [exact WL | exact WH]]. split; [|exact RM].
  eapply extends_trans; [apply (proj1 G) | exact XW].
Qed.
