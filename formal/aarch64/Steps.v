(** Choices, and that one symbolic step stands for one instruction of the processor. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Options Polynomial System Arithmetic Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Choices Halves Rows
  Calculations Symbolic Instructions Simulation Accesses Calls Sums Logic Fields.
Import ListNotations.
Open Scope Z_scope.

(** What is chosen where the condition does not hold. *)
Definition other (n : Z) (k : select_kind) (B : Z) : Z :=
  match k with
  | Plain => B
  | Incremented => (B + 1) mod 2 ^ n
  | Inverted => complement n B
  | Negated => - B mod 2 ^ n
  end.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  Lemma condition_right k m v s p : condition k m = Some p -> sim v m s ->
    worth (wds m) v p (Z.b2z (condition_holds k (flags s))).
  Proof.
    unfold condition. intros H S. pose proof (words_right _ _ _ _ _ _ S) as RW.
    pose proof (zf_right _ _ _ _ _ _ S) as Z0. pose proof (cf_right _ _ _ _ _ _ S) as C.
    destruct (Z.eqb_spec k 0) as [->|_].
    { pose proof (tested_right _ _ _ _ _ _ _ H eq_refl RW Z0) as W.
      destruct (flags s) as [[] [] [] []]; exact W. }
    destruct (Z.eqb_spec k 1) as [->|_].
    { pose proof (tested_right _ _ _ _ _ _ _ H eq_refl RW Z0) as W.
      destruct (flags s) as [[] [] [] []]; exact W. }
    destruct (Z.eqb_spec k 2) as [->|_].
    { pose proof (tested_right _ _ _ _ _ _ _ H eq_refl RW C) as W.
      destruct (flags s) as [[] [] [] []]; exact W. }
    destruct (Z.eqb_spec k 3) as [->|_]; [|discriminate H].
    pose proof (tested_right _ _ _ _ _ _ _ H eq_refl RW C) as W.
    destruct (flags s) as [[] [] [] []]; exact W.
  Qed.

  Lemma otherwise_right k p w r w' v B : otherwise k p w = Some (r, w') -> right w v ->
    worth w v p B -> is_word B ->
    exists v', grows w v w' v' /\ worth w' v' r (other 64 k B) /\ is_word (other 64 k B).
  Proof.
    unfold otherwise, other. change (2 ^ 64) with radix. intros D RW W I.
    assert (is_word 0 /\ is_word 1) as [I0 I1] by (repeat split; discriminate || reflexivity).
    destruct k.
    - injection D as <- <-. exists v. split; [now apply grows_refl | auto].
    - destruct (combined_right _ _ _ _ _ _ _ _ _ _ 0 D RW W (worth_constant _ _ 1)
        (fun u _ => eq_refl) I I1 I0 ltac:(auto)) as (v' & G & V).
      replace (B + 1 * (1 + 0)) with (B + 1) in V by ring. eauto using mod_word.
    - destruct (inverted_right _ _ _ _ _ _ D RW W I) as (v' & G & V).
      exists v'. split; [exact G|]. split; [exact V|].
      unfold complement, is_word in *. change (2 ^ 64) with radix. lia.
    - destruct (combined_right _ _ _ _ _ _ _ _ 0 _ 0 D RW (fun u _ => eq_refl) W
        (fun u _ => eq_refl) I0 I I0 ltac:(auto)) as (v' & G & V).
      replace (0 + -1 * (B + 0)) with (- B) in V by ring. eauto using mod_word.
  Qed.

  Lemma same_general_eq a b : same_general a b = true -> a = b.
  Proof.
    destruct a, b; try discriminate; [|reflexivity]. intros H.
    apply internal_register_dec_bl in H. now subst.
  Qed.

  Lemma select_whole_right k d a b flag m m' v s (f : bool) :
    select_whole k d a b flag m = Some m' -> sim v m s -> worth (wds m) v flag (Z.b2z f) ->
    stands_for m m' v (Some (set d (if f then get s a else other 64 k (get s b)) s)).
  Proof.
    unfold select_whole. intros D S F. unbind D. rename p into yes. unbind D. rename p into no.
    pose proof (get_word _ _ _ v m s a S) as IA. pose proof (get_word _ _ _ v m s b S) as IB.
    pose proof (word_of_right _ _ _ v m s a yes E S) as WA.
    pose proof (word_of_right _ _ _ v m s b no E0 S) as WB.
    pose proof (words_right _ _ _ _ _ _ S) as RW.
    destruct (increments_same k a b) eqn:SAME.
    - destruct k; try discriminate SAME. apply same_general_eq in SAME. subst b.
      unbind D. destruct p as [r w].
      destruct (combined_right _ _ _ _ _ _ _ _ (get s a) 0 (1 + -1 * Z.b2z f) E1 RW WA
        (fun u _ => eq_refl) (worth_plus _ _ _ _ (-1) _ _ (worth_constant _ _ 1) F) IA
        ltac:(now split) ltac:(destruct f; now split) ltac:(auto)) as (v' & G & W).
      assert ((get s a + 1 * (0 + (1 + -1 * Z.b2z f))) mod radix
        = if f then get s a else other 64 Incremented (get s a)) as Q.
      { destruct f; cbn [Z.b2z other].
        - replace (get s a + 1 * (0 + (1 + -1 * 1))) with (get s a) by ring.
          apply Z.mod_small. exact IA.
        - f_equal; ring. }
      rewrite Q in W. eapply finish_word; [exact D | exact S | exact G | exact W|].
      rewrite <- Q. apply mod_word.
    - unbind D. destruct p as [no1 w1]. unbind D. destruct p as [r w2].
      destruct (otherwise_right _ _ _ _ _ _ _ E1 RW WB IB) as (v1 & G1 & W1 & I1).
      destruct (select_right _ _ _ _ _ _ _ f _ _ E2 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 F)
        (grows_worth _ _ _ _ _ _ G1 WA) W1 IA I1) as (v2 & G2 & W2).
      eapply finish_word; [exact D | exact S | exact (grows_trans _ _ _ _ _ _ G1 G2) | exact W2|].
      destruct f; assumption.
  Qed.

  Lemma select_step_right n k d a b cond m m' v s :
    step c code (Select n k d a b cond) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Select n k d a b cond) s).
  Proof.
    cbn [step]. unfold run_select. intros D S. unbind D. rename p into flag.
    pose proof (condition_right _ _ _ _ _ E S) as F.
    destruct (_ || _) eqn:N in D; [|discriminate D]. cbn [guard bind] in D.
    assert (n = 64 \/ n = 32) as NN
      by (apply orb_prop in N as [N|N]; apply Z.eqb_eq in N; auto). clear N.
    change (execute (Select n k d a b cond) s) with
      (Some (set d (if condition_holds cond (flags s) then get s a mod 2 ^ n
        else other n k (get s b mod 2 ^ n)) s)).
    destruct (flag_factor n k a b) as [g|] eqn:FF.
    - assert (forall A, A = (if condition_holds cond (flags s) then get s a mod 2 ^ n
        else other n k (get s b mod 2 ^ n)) ->
        A = 0 + g * (1 + -1 * Z.b2z (condition_holds cond (flags s))) -> is_word A ->
        stands_for m m' v (Some (set d A s))) as K.
      { intros A _ Q IA. eapply finish_word; [exact D | exact S
          | apply grows_refl, (words_right _ _ _ _ _ _ S) | | exact IA].
        rewrite Q. apply (worth_plus _ _ [] _ g 0 _ (fun u _ => eq_refl)).
        exact (worth_plus _ _ _ _ (-1) _ _ (worth_constant _ _ 1) F). }
      apply K; [reflexivity | |]; clear K D;
        destruct k; cbn [flag_factor] in FF; try discriminate FF;
        (destruct a; [discriminate FF|]); (destruct b; [discriminate FF|]); injection FF as <-;
        destruct NN as [-> | ->]; destruct (condition_holds _ _);
        (split; discriminate || reflexivity) || reflexivity.
    - destruct (Z.eqb_spec n 64) as [->|]; [|discriminate D]. cbn [guard bind] in D.
      change (2 ^ 64) with radix. rewrite !Z.mod_small by exact (get_word _ _ _ v m s _ S).
      eapply select_whole_right; [exact D | exact S | exact F].
  Qed.

  Theorem step_right i m m' v s : step c code i m = Some m' -> sim v m s ->
    stands_for m m' v (execute i s).
  Proof.
    intros H S. destruct i.
    - now apply sum_right.
    - now apply logic_right.
    - cbn [step] in H. destruct (_ && _) eqn:B in H; [|discriminate H]. cbn [guard bind] in H.
      apply in_range_right in B.
      destruct (put_right _ _ _ v _ s _ _ z _ H S (means_const _ _ _) B) as [Q S2].
      eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S2 | reflexivity].
    - now apply keep_right.
    - now apply field_right.
    - now apply extract_right.
    - now apply multiply_add_right.
    - now apply multiply_high_right.
    - now apply select_step_right.
    - now apply load_right.
    - now apply load_pair_right.
    - now apply store_one_right.
    - now apply store_pair_right.
    - cbn [step] in H.
      destruct (put_right c code start v m s _ _ ((here s + z) mod radix) _ H S) as [Q S2].
      + rewrite (here_right _ _ _ _ _ _ S), <- Z.add_assoc. reflexivity.
      + apply mod_word.
      + eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S2 | reflexivity].
    - now apply read_flags_right.
    - now apply write_flags_right.
    - injection H as <-. eapply stands_same; [reflexivity | exact S | reflexivity].
    - now apply call_right.
    - discriminate H.
  Qed.
End Kernel.
