(** A routine's precondition holds where it is called: its areas lie in the caller's. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Expression Processor Contract
  Areas Entry Verdict Formula Forms Followed Runs Routine.
Import ListNotations.
Open Scope Z_scope.

Module Make (F : Followed).
Import F F.P F.K.
Include Routine.Make F.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable al : algebra.
  Variable start : state.
  Hypothesis R : ready c code start.
  Notation sim := (simulates c code start).
  Notation routine_code := (routine_code code).
  Notation fitting := (fitting c code).
  Notation held_right := (held_right al).

  Lemma nth_skipped {A} (d : A) n : forall l i, nth i (skipn n l) d = nth (n + i) l d.
  Proof.
    induction n as [|n IH]; intros l i; [reflexivity|].
    destruct l as [|x l]; cbn [skipn]; [now destruct i | apply IH].
  Qed.

  Lemma reach_none f k l : ~ In k (map pointer l) ->
    fold_right (fun i most => if Nat.eqb (pointer i) k then Z.max (f i) most else most) 0 l = 0.
  Proof.
    induction l as [|i l IH]; cbn [fold_right map In]; intros N; [reflexivity|].
    destruct (Nat.eqb_spec (pointer i) k); [exfalso; auto | apply IH; auto].
  Qed.

  Lemma room_empty r cd a : ~ In a (areas r) ->
    snd (room (says r) cd a) <= fst (room (says r) cd a).
  Proof.
    unfold areas. cbn [In]. intros N. destruct a as [|k| | |q]; try (exfalso; auto; fail).
    - cbn [room fst snd]. unfold reach. rewrite reach_none; [lia|].
      intros I. apply N. do 3 right. apply in_map_iff in I as (i & <- & I).
      apply in_map_iff. eauto.
    - cbn [room fst snd]. lia.
  Qed.

  Section Entered.
    Variables (r : routine_known) (m : machine) (top : Z) (v : valuation) (s : state).
    Hypothesis S : sim v m s.
    Hypothesis T : stack_offset m = Some top.
    Hypothesis P : pc m = lies r.
    Notation c' := (says r).
    Notation code' := (routine_code r).

    Hypothesis TB : top + link_size <= 0.
    Hypothesis NE : fst (room c code Stack) < snd (room c code Stack).

    Lemma fitting_right a : fitting r m top a = true -> exists b o,
      target r m top a = Some (b, o) /\ place c' s a = place c start b + o /\
      fst (room c code b) <= o + fst (room c' code' a) /\
      o + snd (room c' code' a) <= snd (room c code b) /\
      fst (room c' code' a) <= 0 <= snd (room c' code' a) /\
      (a = Stack \/ b <> Stack \/ top + link_size <= o + fst (room c' code' a)).
    Proof.
      unfold fitting. destruct (target r m top a) as [[b o]|] eqn:E; [|discriminate].
      intros F. apply andb_prop in F as [F A]. apply andb_prop in F as [F F4].
      apply andb_prop in F as [F F3]. apply andb_prop in F as [F1 F2].
      apply Z.leb_le in F1, F3, F4.
      exists b, o. split; [reflexivity|].
      assert (a = Stack \/ b <> Stack \/ top + link_size <= o + fst (room c' code' a)) as A'.
      { apply orb_prop in A as [A|A]; [apply orb_prop in A as [A|A]|].
        - left. now apply is_area_eq.
        - right. left. intros ->. apply negb_true_iff in A.
          unfold is_area in A. destruct (area_eq_dec Stack Stack); congruence.
        - right. right. now apply Z.leb_le. }
      assert ((place c start b + o) mod radix = place c start b + o /\
        0 <= snd (room c' code' a)) as [W H].
      { destruct (is_area a Stack) eqn:IS.
        - apply is_area_eq in IS as ->. apply Z.leb_le in F2. split; [|exact F2].
          cbn [target] in E. injection E as <- <-.
          destruct (fits _ _ _ R Stack NE) as [G1 _].
          pose proof (words_are _ _ _ R stack_pointer) as [_ SW]. pose proof link_size_right.
          apply Z.mod_small. cbn [place] in G1 |- *. lia.
        - apply Z.ltb_lt in F2. destruct (fits _ _ _ R b) as [G1 G2]; [lia|].
          split; [apply Z.mod_small; lia | lia]. }
      split; [|auto 6]. rewrite <- W.
      assert (forall q, pointed (file m q) = Some (b, o) ->
        registers s q = (place c start b + o) mod radix) as FR.
      { intros q Q. pose proof (file_right _ _ _ _ _ _ S q) as D. unfold pointed in Q.
        destruct (file m q); try discriminate. injection Q as -> ->. exact D. }
      destruct a as [|k| | |q]; cbn [target place] in *.
      - now apply FR.
      - now apply FR.
      - injection E as <- <-. cbn [place] in W |- *. rewrite W.
        rewrite (here_right _ _ _ _ _ _ S), P. reflexivity.
      - injection E as <- <-. exact (stack_offset_right _ _ _ _ _ _ _ S T).
      - discriminate E.
    Qed.

    Lemma within_target a b o x : target r m top a = Some (b, o) ->
      place c' s a = place c start b + o ->
      fst (room c code b) <= o + fst (room c' code' a) ->
      o + snd (room c' code' a) <= snd (room c code b) ->
      within_area c' code' s a x ->
      within_area c code start b x /\
      o + fst (room c' code' a) <= x - place c start b < o + snd (room c' code' a).
    Proof. unfold within_area, inside. lia. Qed.

    Hypothesis F : forallb (fitting r m top) (areas r) = true.
    Hypothesis HM : home (calling c') = 0.

    Lemma area_fitting a : In a (areas r) -> fitting r m top a = true.
    Proof. intros I. rewrite forallb_forall in F. now apply F. Qed.

    Lemma apart_right a : a <> Stack -> apart c' code' s a Stack.
    Proof.
      intros N x X Y. destruct (in_dec area_eq_dec a (areas r)) as [I|I].
      2: { apply (room_empty r code') in I. unfold within_area, inside in X. lia. }
      destruct (fitting_right a (area_fitting a I)) as (b & o & TG & PL & L & H & Z0 & AP).
      destruct (fitting_right Stack (area_fitting Stack ltac:(right; left; reflexivity)))
        as (b2 & o2 & TG2 & PL2 & L2 & H2 & Z2 & _).
      destruct (within_target _ _ _ _ TG PL L H X) as [X1 X2].
      destruct (within_target _ _ _ _ TG2 PL2 L2 H2 Y) as [Y1 Y2].
      cbn [target] in TG2. injection TG2 as <- <-.
      destruct (area_eq_dec b Stack) as [->|NB].
      - destruct AP as [?|[?|AP]]; [contradiction | contradiction|].
        cbn [room fst snd] in Y2. rewrite HM in Y2. lia.
      - exact (stack_apart _ _ _ R b NB x X1 Y1).
    Qed.

    Lemma taken_right x held i f : taken_form r m top held i = Some f -> In i (inputs c') ->
      (forall h, In h held -> held_right (sys m) v x h) ->
      input_words c' s i < bound i /\ (prime al | input_value c' s i - value x f).
    Proof.
      unfold taken_form. intros G I H. unbind G. destruct p as [b o]. unbind G.
      destruct (fitting_right (Operand (pointer i))) as (b2 & o2 & TG & PL & _).
      { apply area_fitting. do 3 right. apply in_map_iff. eauto. }
      assert (b2 = b /\ o2 = o) as [-> ->] by (split; congruence).
      unfold input_value, input_words. rewrite PL, <- Z.add_assoc.
      rewrite <- (words_at_right _ _ _ _ v _ _ _ _ _ _ E0 (cells_right _ _ _ _ _ _ S)).
      rewrite <- (words_at_length _ _ _ _ _ E0). eapply recognised_right; eauto.
    Qed.

    Hypothesis code_there : 0 <= lies r.
    Hypothesis ME : may_enter m top = true.
    Variables (b : area) (o : Z).
    Hypothesis RT : target r m top Result = Some (b, o).
    Hypothesis G : may_give r b o = true.

    Lemma result_area : (b = Result \/ b = Stack /\ o + 8 * Z.of_nat (count r) <= 0) /\
      o mod 8 = 0 /\ place c' s Result = place c start b + o.
    Proof.
      unfold may_give in G. apply andb_prop in G as [G1 G2]. apply Z.eqb_eq in G1.
      destruct (fitting_right Result (area_fitting Result ltac:(left; reflexivity)))
        as (b2 & o2 & TG & PL & _).
      assert (b2 = b /\ o2 = o) as [-> ->] by (split; congruence).
      split; [|auto]. apply orb_prop in G2 as [G2|G2]; [left; now apply is_area_eq | right].
      apply andb_prop in G2 as [G2 G3]. apply is_area_eq in G2. apply Z.leb_le in G3. auto.
    Qed.

    Lemma routine_ready : (forall i, In i (inputs c') -> input_words c' s i < bound i) ->
      ready c' code' s.
    Proof.
      intros V. constructor;
        [exact (may_enter_right _ _ _ _ _ _ _ R S T ME)|..].
      - apply (file_words _ _ _ _ _ _ S).
      - apply (bytes _ _ _ _ _ _ S).
      - intros i I. unfold routine_code in *. rewrite nth_skipped.
        rewrite skipn_length in I. rewrite (here_right _ _ _ _ _ _ S), P.
        replace (place c start Code + lies r + Z.of_nat i)
          with (place c start Code + Z.of_nat (Z.to_nat (lies r) + i)) by lia.
        rewrite (code_kept _ _ _ R _ _ (frame _ _ _ _ _ _ S)) by (assumption || lia).
        apply (code_is _ _ _ R). lia.
      - intros a E. destruct (in_dec area_eq_dec a (areas r)) as [I|I].
        + destruct (fitting_right a (area_fitting a I)) as (b1 & o1 & _ & PL & L & H & _).
          rewrite PL. destruct (fits _ _ _ R b1) as [F1 F2]; [lia|]. lia.
        + apply (room_empty r code') in I. lia.
      - exact apart_right.
      - intros y X Y.
        destruct (fitting_right Result (area_fitting Result ltac:(left; reflexivity)))
          as (b1 & o1 & TG & PL & L & H & _).
        destruct (fitting_right Code (area_fitting Code ltac:(do 2 right; left; reflexivity)))
          as (b2 & o2 & TG2 & PL2 & L2 & H2 & _).
        destruct (within_target _ _ _ _ TG PL L H X) as [X1 _].
        destruct (within_target _ _ _ _ TG2 PL2 L2 H2 Y) as [Y1 _].
        cbn [target] in TG2. injection TG2 as <- <-.
        assert (b1 = b) as -> by congruence.
        destruct result_area as [[->|[-> _]] _].
        + exact (result_apart _ _ _ R y X1 Y1).
        + exact (stack_apart _ _ _ R Code ltac:(discriminate) y Y1 X1).
      - exact V.
    Qed.
  End Entered.
End Kernel.
End Make.
