(** Words that are congruent to others, halves, and rows with their carries, are right. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms Areas.
From Fieldc.aarch64 Require Import Carries Words Facts Choices Halves.
Import ListNotations.
Open Scope Z_scope.

Lemma small_always w v x : right w v -> is_small (known w) x = true ->
  always (known w) v (fun u => u x = v x) /\ is_word (v x).
Proof.
  intros R S. destruct (small_right _ _ _ R S) as [W I]. split; [|exact I].
  intros u U. rewrite <- value_of_variable. exact (W u U).
Qed.

Lemma congruent_worth w v b f x : right w v -> always (known w) v (fun u => u b = v b) ->
  by_residue b f (congruents w) = Some x ->
  worth w v (of_variable x) ((f * v b) mod radix).
Proof.
  intros R B F u U. apply by_residue_in in F. rewrite value_of_variable.
  rewrite (congruents_hold _ _ (proj2 (R u U)) _ _ _ F). specialize (B u U). cbv beta in B.
  rewrite B. reflexivity.
Qed.

Lemma expect_right b f w w' v : expect b f w = Some w' -> right w v ->
  exists v', grows w v w' v'.
Proof.
  unfold expect. intros E R. destruct (List.find _ _) as [[[x g] n]|];
    [|injection E as <-; exists v; now apply grows_refl].
  destruct (_ && _) eqn:C in E; [|discriminate E]. cbn [guard bind] in E.
  apply andb_prop in C as [C ?]. apply andb_prop in C as [C ?]. apply andb_prop in C as [C ?].
  apply andb_prop in C as [C ?].
  repeat match goal with H : (_ <=? _) = true |- _ => apply Z.leb_le in H
    | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H end.
  destruct (small_right _ _ _ R C) as [WB IB]. destruct (small_always _ _ _ R C) as [AB _].
  unbind E. destruct p as [middle w1]. unbind E. destruct p as [[l h] w2]. injection E as <-.
  assert (exists v1 M, grows w v w1 v1 /\ worth w1 v1 middle M /\ is_word M)
    as (v1 & M & G1 & WM & IM).
  { destruct (by_residue b g (congruents w)) as [y|] eqn:F.
    - injection E0 as <- <-. exists v. eexists. split; [now apply grows_refl|].
      split; [eapply congruent_worth; eauto | apply mod_word].
    - destruct (1 <? g).
      + unbind E0. destruct p as [[l1 h1] w3]. injection E0 as <- <-.
        destruct (product_right _ _ _ _ _ _ _ _ _ _ E R WB (worth_literal _ _ g) IB
          ltac:(split; assumption)) as (v1 & G & L & _).
        exists v1. eexists. split; [exact G|]. split; [exact L | apply mod_word].
      + injection E0 as <- <-. exists v, (v b). split; [now apply grows_refl|]. auto. }
  destruct (product_right _ _ _ _ _ _ _ _ _ _ E1 (proj2 G1) WM (worth_literal _ _ n) IM
    ltac:(split; assumption)) as (v2 & G2 & _).
  exists v2. exact (grows_trans _ _ _ _ _ _ G1 G2).
Qed.

Lemma congruent_right p w found w' v A : congruent p w = Some (found, w') -> right w v ->
  worth w v p A ->
  exists v', grows w v w' v' /\ forall r, found = Some r -> worth w' v' r (A mod radix).
Proof.
  unfold congruent. intros C R P. destruct (residue_of p w) as [[b f]|] eqn:F.
  2: { injection C as <- <-. exists v. split; [now apply grows_refl | discriminate]. }
  assert (always (known w) v (fun u => A mod radix = (f * u b) mod radix)) as D.
  { intros u U. apply divides_same. rewrite <- (P u U).
    apply (residue_of_right u w); [apply (R u U) | exact F]. }
  destruct (Z.eqb_spec f 1) as [->|N].
  - destruct (is_small (known w) b) eqn:S; [|discriminate C]. cbn [guard bind] in C.
    injection C as <- <-. exists v. split; [now apply grows_refl|]. intros r [= <-] u U.
    destruct (small_always _ _ _ R S) as [AB IB]. rewrite value_of_variable, (D u U).
    specialize (AB u U). cbv beta in AB. rewrite AB, Z.mul_1_l.
    symmetry. apply Z.mod_small. exact IB.
  - unbind C. rename w0 into w1. injection C as <- <-.
    assert (exists v', grows w v w1 v') as (v' & G).
    { destruct (by_residue b f (congruents w)); [|eapply expect_right; eauto].
      injection E as <-. exists v. now apply grows_refl. }
    exists v'. split; [exact G|]. destruct (by_residue b f (congruents w1)) as [x|] eqn:B;
      [|discriminate]. intros r [= <-] u U. rewrite value_of_variable.
    apply by_residue_in in B. rewrite (congruents_hold _ _ (proj2 (proj2 G u U)) _ _ _ B).
    symmetry. exact (always_extends _ _ _ _ _ (proj1 G) D u U).
Qed.

Lemma low_half_right a b w r w' v A B : low_half a b w = Some (r, w') -> right w v ->
  worth w v a A -> worth w v b B -> is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' r (A * B mod radix).
Proof.
  unfold low_half. intros L R WA WB IA IB. unbind L. destruct p as [a1 w1]. unbind L.
  destruct p as [b1 w2]. unbind L. destruct p as [found w3].
  destruct (single_right _ _ _ _ _ _ E R WA IA) as (v1 & G1 & W1).
  destruct (single_right _ _ _ _ _ _ E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WB) IB)
    as (v2 & G2 & W2).
  pose proof (grows_worth _ _ _ _ _ _ G2 W1) as W1'.
  pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G.
  assert (worth w2 v2 (tidy (times a1 b1)) (A * B)) as WQ.
  { intros u U. rewrite value_tidy, value_times, (W1' u U), (W2 u U). reflexivity. }
  assert (exists v3, grows w2 v2 w3 v3 /\
    forall r, found = Some r -> worth w3 v3 r (A * B mod radix)) as (v3 & G3 & F).
  { destruct (is_expected a1 b1 w2); [|eapply congruent_right; eauto; apply G].
    injection E1 as <- <-. exists v2. split; [apply grows_refl, G | discriminate]. }
  pose proof (grows_trans _ _ _ _ _ _ G G3) as G13.
  destruct found as [q|].
  - injection L as <- <-. exists v3. auto.
  - unbind L. destruct p as [[l h] w4]. injection L as <- <-.
    destruct (product_right _ _ _ _ _ _ _ _ _ _ E2 (proj2 G13)
      (grows_worth _ _ _ _ _ _ G3 W1') (grows_worth _ _ _ _ _ _ G3 W2) IA IB)
      as (v4 & G4 & W4 & _).
    exists v4. split; [exact (grows_trans _ _ _ _ _ _ G13 G4) | exact W4].
Qed.

Lemma high_half_right a b w r w' v A B : high_half a b w = Some (r, w') -> right w v ->
  worth w v a A -> worth w v b B -> is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' r (A * B / radix).
Proof.
  unfold high_half. intros H R WA WB IA IB. unbind H. destruct p as [[l h] w1].
  injection H as <- <-.
  destruct (product_right _ _ _ _ _ _ _ _ _ _ E R WA WB IA IB) as (v' & G & _ & W).
  exists v'. auto.
Qed.

(** ** Rows *)

Definition one_sided (t T : Z) : Prop := t = 1 /\ 0 <= T \/ t = -1 /\ T < radix.

Lemma row_right p t w a c w' v T : row p t w = Some (a, c, w') -> right w v -> worth w v p T ->
  one_sided t T ->
  exists v', grows w v w' v' /\ worth w' v' a (T mod radix) /\ worth w' v' c (t * (T / radix)).
Proof.
  unfold row. intros D R P S. destruct (by_row t p (made w)) as [[a0 c0]|] eqn:F.
  - injection D as <- <- <-. exists v. split; [now apply grows_refl|]. apply by_row_in in F.
    split; intros u U; destruct (rows_hold _ _ (proj2 (R u U)) _ _ _ _ F) as [L H];
      [rewrite L | rewrite H]; rewrite (P u U); reflexivity.
  - unbind D. destruct p0 as [[a0 c0] s]. injection D as <- <- <-.
    destruct (define_right _ _ _ v T _ _ _ E (right_good _ _ R) P S) as (v' & X & G & MA & MC).
    pose proof (worth_of_word (with_known s w) v' _ _ MA) as WA.
    pose proof (worth_of_word (with_known s w) v' _ _ MC) as WC.
    destruct (right_system _ _ _ _ R X G) as [_ R'].
    pose proof (always_extends _ _ _ _ _ X P) as P'.
    exists v'. unfold worth, grows. rewrite known_remember. cbn [note_row known with_known].
    split; [|split; [exact WA | exact WC]]. split; [exact X|].
    apply right_remember.
    + apply right_row; [exact R'|]. intros u U. rewrite (WA u U), (WC u U).
      specialize (P' u U). cbv beta in P'. rewrite P'. split; reflexivity.
    + intros b f RE u U. cbn [note_row known with_known] in U. rewrite (WA u U).
      apply divides_same. specialize (P' u U). cbv beta in P'. rewrite <- P'.
      assert (agree (next (known w)) v u) as OLD.
      { intros x L. destruct X as [N AG]. rewrite (AG x L). apply U.
        eapply Pos.lt_le_trans; eauto. }
      apply (residue_of_right u w); [apply (R u OLD) | exact RE].
Qed.

Lemma borrow_below x y : is_word x -> 0 <= y <= 1 -> -1 * ((x - y) / radix) = Z.b2z (x <? y).
Proof.
  unfold is_word. intros X Y. destruct (Z.ltb_spec x y); cbn [Z.b2z].
  - rewrite <- (Z.div_unique (x - y) radix (-1) (x - y + radix)); lia.
  - rewrite Z.div_small; lia.
Qed.

Lemma zero_flag_right p w r w' v A : zero_flag p w = Some (r, w') -> right w v -> worth w v p A ->
  is_word A -> exists v', grows w v w' v' /\ worth w' v' r (Z.b2z (A =? 0)).
Proof.
  unfold zero_flag. intros Z0 R P W. unbind Z0. destruct p0 as [[a c] w1]. injection Z0 as <- <-.
  assert (worth w v (plus p 1 (constant (-1))) (A - 1)) as Q.
  { intros u U. rewrite value_plus, (P u U). cbn [constant value Polynomial.product]. lia. }
  destruct (row_right _ _ _ _ _ _ _ _ E R Q) as (v' & G & _ & C).
  { right. unfold is_word in W. lia. }
  rewrite borrow_below in C by (exact W || lia).
  replace (A <? 1) with (A =? 0) in C.
  2: { unfold is_word in W. destruct (Z.eqb_spec A 0), (Z.ltb_spec A 1); reflexivity || lia. }
  exists v'. split; [|exact C]. split; [apply G|]. apply right_zero; [apply G|]. intros u U.
  rewrite (C u U). pose proof (grows_worth _ _ _ _ _ _ G P u U) as V. cbv beta in V. rewrite V.
  split; [reflexivity | exact W].
Qed.

Lemma zero_and_right z b w p bit v A B : zero_and z b w = Some (p, bit) -> right w v ->
  are_bits (known w) [b] = true -> worth w v z A -> worth w v b B -> is_word B ->
  bit = b /\ exists P, worth w v p P /\ is_word P /\ A = Z.b2z (P =? 0) /\ 0 <= B <= 1.
Proof.
  unfold zero_and. intros Z0 R BB WA WB IB. unbind Z0. destruct (_ && _) eqn:C in Z0;
    [|discriminate Z0]. cbn [guard bind] in Z0. injection Z0 as <- <-. split; [reflexivity|].
  apply andb_prop in C as [C1 C2]. rewrite forallb_forall in C1, C2.
  apply by_polynomial_in in E.
  assert (agree (next (known w)) v v) as V by (intros ? _; reflexivity).
  destruct (zeros_hold _ _ (proj2 (R v V)) _ _ E) as [ZV IP].
  exists (value v p0). split; [|split; [exact IP|split]].
  - intros u U. pose proof (values_ext v u [p0]) as X. cbn [map] in X.
    assert ([value u p0] = [value v p0]) as Y; [|injection Y; auto].
    apply X. intros x I. symmetry. apply U. apply Pos.ltb_lt. now apply C2.
  - rewrite <- ZV. symmetry. apply (WA v V).
  - split; [apply IB|]. apply Z.leb_le. apply C1. eapply values_have; eauto.
Qed.

Lemma bits_of_pair s a b : are_bits s [a; b] = true ->
  are_bits s [a] = true /\ are_bits s [b] = true.
Proof.
  unfold are_bits. intros B. apply andb_prop in B as [L F]. apply Nat.leb_le in L.
  rewrite forallb_forall in F.
  assert (forall p, In p [a; b] -> incl (variables_of [p]) (variables_of [a; b])) as S.
  { intros p I x X. unfold variables_of in *. apply nodup_In in X. apply nodup_In.
    apply in_flat_map in X as (t & T & X). apply in_flat_map. exists t. split; [|exact X].
    cbn [concat] in T. rewrite app_nil_r in T. apply in_concat. exists p. auto. }
  assert (forall p, In p [a; b] -> are_bits s [p] = true) as K.
  { intros p I. unfold are_bits. apply andb_true_intro. split.
    - apply Nat.leb_le. etransitivity; [|exact L]. apply NoDup_incl_length; [apply NoDup_nodup|].
      now apply S.
    - apply forallb_forall. intros x X. apply F. exact (S p I x X). }
  split; apply K; cbn [In]; auto.
Qed.

Lemma both_right a b w r w' v A B : both a b w = Some (r, w') -> right w v ->
  are_bits (known w) [a; b] = true -> worth w v a A -> worth w v b B -> is_word A -> is_word B ->
  exists v', grows w v w' v' /\ worth w' v' r (Z.land A B).
Proof.
  unfold both. intros D R BB WA WB IA IB. destruct (bits_of_pair _ _ _ BB) as [B1 B2].
  destruct (match zero_and a b w with Some e => Some e | None => zero_and b a w end)
    as [[p bit]|] eqn:F.
  - assert (exists P X Y, worth w v p P /\ is_word P /\ worth w v bit Y /\ X = Z.b2z (P =? 0) /\
      0 <= Y <= 1 /\ Z.land A B = Z.land X Y) as (P & X & Y & WP & IP & WY & XP & BY & L).
    { destruct (zero_and a b w) as [[p1 bit1]|] eqn:Z1.
      - injection F as -> ->.
        destruct (zero_and_right _ _ _ _ _ _ _ _ Z1 R B2 WA WB IB) as (-> & P & WP & IP & E & K).
        exists P, A, B. auto 8.
      - destruct (zero_and_right _ _ _ _ _ _ _ _ F R B1 WB WA IA) as (-> & P & WP & IP & E & K).
        exists P, B, A. rewrite Z.land_comm. auto 8. }
    unbind D. destruct p0 as [bit1 w1]. unbind D. destruct p0 as [[a1 c1] w2].
    injection D as <- <-.
    assert (exists v1, grows w v w1 v1 /\ worth w1 v1 bit1 Y) as (v1 & G1 & W1).
    { destruct (continues bit (-1) w).
      - injection E as <- <-. exists v. split; [now apply grows_refl | exact WY].
      - eapply single_right; eauto. unfold is_word. unfold radix. lia. }
    pose proof (worth_plus _ _ _ _ (-1) _ _ (grows_worth _ _ _ _ _ _ G1 WP) W1) as WT.
    destruct (row_right _ _ _ _ _ _ _ _ E0 (proj2 G1) WT) as (v2 & G2 & _ & C).
    { right. unfold is_word in IP. lia. }
    exists v2. split; [exact (grows_trans _ _ _ _ _ _ G1 G2)|].
    replace (P + -1 * Y) with (P - Y) in C by lia. rewrite borrow_below in C by assumption.
    rewrite L, XP. replace (Z.land (Z.b2z (P =? 0)) Y) with (Z.b2z (P <? Y)); [exact C|].
    unfold is_word in IP. assert (Y = 0 \/ Y = 1) as [-> | ->] by lia.
    + destruct (Z.eqb_spec P 0), (Z.ltb_spec P 0); reflexivity || lia.
    + destruct (Z.eqb_spec P 0), (Z.ltb_spec P 1); reflexivity || lia.
  - injection D as <- <-. exists v. split; [now apply grows_refl|].
    exact (worth_bits w v [a; b] (fun l => Z.land (hd 0 l) (nth 1 l 0)) [A; B] R BB
      (Forall2_cons _ _ WA (Forall2_cons _ _ WB (Forall2_nil _)))).
Qed.
