(** Choices, and carries as words, are right. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Options System Arithmetic Forms.
From Fieldc.aarch64 Require Import Carries Words Facts.
Import ListNotations.
Open Scope Z_scope.

Lemma define_one_right p w r w' v T : define_one p w = Some (r, w') -> right w v ->
  worth w v p T -> is_word T -> exists v', grows w v w' v' /\ worth w' v' r T.
Proof.
  unfold define_one. intros D R P W. unbind D. destruct p0 as [a s]. injection D as <- <-.
  destruct (define_word_right _ _ v T _ _ E (right_good _ _ R) P W) as (v' & X & G & M).
  exists v'. split; [now apply right_system|]. now apply worth_of_word.
Qed.

Lemma worth_bit w v x : is_bit (known w) x = true -> worth w v (of_variable x) (v x).
Proof.
  unfold is_bit. intros B u U. apply andb_prop in B as [B _]. apply Pos.ltb_lt in B.
  rewrite value_of_variable. symmetry. now apply U.
Qed.

Lemma bit_value w v x : right w v -> is_bit (known w) x = true ->
  exists b : bool, v x = Z.b2z b.
Proof.
  intros R B. destruct (always_now _ _ _ R) as [H _].
  destruct (is_bit_right v (known w) H x B) as [E|E]; [exists false | exists true]; exact E.
Qed.

Lemma worth_with w v p x c F : is_bit (known w) x = true -> v x = c -> worth w v p F ->
  worth w v (with_value p x c) F.
Proof.
  intros B E P u U. unfold with_value. rewrite value_tidy, value_substitute; [now apply P|].
  intros y d [[= <- <-]|[]]. pose proof (worth_bit w v x B u U) as V.
  cbv beta in V. rewrite value_of_variable in V. congruence.
Qed.

Lemma pick_right fuel : forall flag yes no w r w' v Y N,
  pick fuel flag yes no w = Some (r, w') -> right w v -> worth w v yes Y -> worth w v no N ->
  is_word Y -> is_word N ->
  exists v' A, grows w v w' v' /\ worth w' v' r A /\ is_word A /\
    forall f : bool, worth w v flag (Z.b2z f) -> A = if f then Y else N.
Proof.
  induction fuel as [|fuel IH]; intros flag yes no w r w' v Y N P R WY WN IY IN; cbn [pick] in P;
    (destruct (last_variable flag) as [x|];
      [destruct (same yes no) eqn:S; [|try discriminate P]
      | unbind P; rename z into c; injection P as <- <-]).
  2, 5: exists v; pose proof (worth_number _ v _ _ E : worth w v flag c) as WC;
    destruct (Z.eqb_spec c 0) as [->|NZ];
    [exists N | exists Y]; (split; [now apply grows_refl|]); (split; [assumption|]);
    (split; [assumption|]); intros f F; pose proof (worth_unique _ _ _ _ _ F WC);
    destruct f; cbn in *; congruence || lia.
  1, 2: injection P as <- <-; apply same_right in S; subst no;
    exists v, Y; (split; [now apply grows_refl|]); (split; [assumption|]); (split; [assumption|]);
    intros f _; destruct f; [reflexivity | exact (worth_unique _ _ _ _ _ WY WN)].
  destruct (is_bit (known w) x) eqn:B; [|discriminate P]. cbn [guard bind] in P.
  unbind P. destruct p as [set w1]. unbind P. destruct p as [clear w2].
  destruct (bit_value _ _ _ R B) as (b & BV).
  destruct (IH _ _ _ _ _ _ _ _ _ E R WY WN IY IN) as (v1 & A1 & G1 & W1 & I1 & F1).
  destruct (IH _ _ _ _ _ _ _ _ _ E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WY)
    (grows_worth _ _ _ _ _ _ G1 WN) IY IN) as (v2 & A2 & G2 & W2 & I2 & F2).
  pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G12.
  pose proof (grows_worth _ _ _ _ _ _ G2 W1) as W1'.
  assert (forall f : bool, worth w v flag (Z.b2z f) ->
    (if b then A1 else A2) = if f then Y else N) as FF.
  { intros f F. destruct b.
    - apply F1. now apply worth_with.
    - apply F2. apply (grows_worth _ _ _ _ _ _ G1). now apply worth_with. }
  destruct (same set clear) eqn:S2.
  - injection P as <- <-. apply same_right in S2. subst clear.
    exists v2, (if b then A1 else A2). split; [exact G12|].
    pose proof (worth_unique _ _ _ _ _ W1' W2) as Q. rewrite Q in *.
    split; [destruct b; exact W2|]. split; [now destruct b | exact FF].
  - unbind P. destruct p as [a s]. injection P as <- <-.
    pose proof (grows_worth _ _ _ _ _ _ G12 (worth_bit _ v _ B)) as WX. rewrite BV in WX.
    assert (means (known w2) v2 (Var x) (Z.b2z b)) as MX.
    { intros u U. specialize (WX u U). cbv beta in WX. rewrite value_of_variable in WX. exact WX. }
    destruct (choose_right _ _ _ _ _ b _ _ _ _ E1 (right_good _ _ (proj2 G2)) MX
      (worth_as_word _ _ _ _ W1') (worth_as_word _ _ _ _ W2) I1 I2) as (v3 & X3 & G3 & M3).
    exists v3, (if b then A1 else A2).
    split; [eapply grows_trans; [exact G12 | apply right_system; [apply G2 | assumption..]]|].
    split; [now apply worth_of_word|]. split; [now destruct b | exact FF].
Qed.

Lemma values_have w v p A : right w v -> are_bits (known w) [p] = true -> worth w v p A ->
  In A (values_of p).
Proof.
  intros R B P. destruct (always_now _ _ _ R) as [H _].
  rewrite <- (always_now _ _ _ P : value v p = A). now apply (values_of_right v (known w)).
Qed.

Lemma single_right p w r w' v A : single p w = Some (r, w') -> right w v -> worth w v p A ->
  is_word A -> exists v', grows w v w' v' /\ worth w' v' r A.
Proof.
  unfold single. intros S R P W.
  destruct (as_number p); [injection S as <- <-; exists v; auto using grows_refl|].
  destruct (are_bits (known w) [p]) eqn:B;
    [|injection S as <- <-; exists v; auto using grows_refl].
  destruct (by_polynomial p (named w)) as [q|] eqn:F.
  - injection S as <- <-. exists v. split; [now apply grows_refl|]. intros u U.
    apply by_polynomial_in in F. rewrite <- (P u U). apply (names_hold _ _ (proj2 (R u U)) _ _ F).
  - unbind S. destruct p0 as [q w1]. injection S as <- <-.
    assert (exists v', grows w v w1 v' /\ worth w1 v' q A) as (v' & G & Q).
    { pose proof (values_have _ _ _ _ R B P) as IA.
      destruct ((1 <? _) && _ && _) eqn:C in E; [|eapply define_one_right; eauto].
      apply andb_prop in C as [C C3]. apply andb_prop in C as [C1 C2].
      apply Z.ltb_lt in C1, C2. set (size := most_of (values_of p)) in *.
      rewrite forallb_forall in C3. specialize (C3 _ IA).
      destruct (pick_right _ _ _ _ _ _ _ v _ 0 E R (worth_literal _ _ size)
        (fun u _ => eq_refl)) as (v' & A' & G & WA & _ & F').
      { unfold is_word. lia. } { unfold is_word, radix. lia. }
      exists v'. split; [exact G|].
      pose proof (worth_bits w v [p] (fun l => Z.b2z (hd 0 l =? size)) [A] R B
        (Forall2_cons _ _ P (Forall2_nil _))) as T. cbn [hd] in T.
      specialize (F' _ T). subst A'. clearbody size.
      destruct (Z.eqb_spec A size) as [->|N]; [exact WA|].
      apply orb_prop in C3 as [C3|C3]; [|discriminate C3].
      apply Z.eqb_eq in C3. subst A. exact WA. }
    exists v'. split; [|exact Q]. split; [apply G|]. apply right_name; [apply G|].
    intros u U. rewrite (Q u U). symmetry. exact (grows_worth _ _ _ _ _ _ G P u U).
Qed.

Lemma select_right flag yes no w r w' v (f : bool) Y N :
  select flag yes no w = Some (r, w') -> right w v -> worth w v flag (Z.b2z f) ->
  worth w v yes Y -> worth w v no N -> is_word Y -> is_word N ->
  exists v', grows w v w' v' /\ worth w' v' r (if f then Y else N).
Proof.
  unfold select. intros S R F WY WN IY IN. destruct (are_bits _ _) eqn:B.
  - injection S as <- <-. exists v. split; [now apply grows_refl|].
    pose proof (worth_bits w v _ (fun l => if hd 0 l =? 1 then nth 1 l 0 else nth 2 l 0)
      [Z.b2z f; Y; N] R B ltac:(repeat constructor; assumption)) as T. cbn [hd nth] in T.
    destruct f; exact T.
  - unbind S. destruct p as [yes1 w1]. unbind S. destruct p as [no1 w2].
    destruct (single_right _ _ _ _ _ _ E R WY IY) as (v1 & G1 & W1).
    destruct (single_right _ _ _ _ _ _ E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WN) IN)
      as (v2 & G2 & W2).
    pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G12.
    destruct (pick_right _ _ _ _ _ _ _ _ _ _ S (proj2 G2) (grows_worth _ _ _ _ _ _ G2 W1) W2 IY IN)
      as (v3 & A & G3 & W3 & _ & FA).
    exists v3. split; [exact (grows_trans _ _ _ _ _ _ G12 G3)|].
    rewrite <- (FA f); [exact W3 | exact (grows_worth _ _ _ _ _ _ G12 F)].
Qed.
