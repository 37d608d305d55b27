(** One symbolic step stands for one instruction of the processor. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation Sums LowBytes Calls.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Sums.stands_for c code start).
  Notation read_word := (Sums.read_word c code start R).
  Notation register_word := (Sums.register_word c code start).
  Notation finish := (Sums.finish c code start).
  Notation finish_only := (Sums.finish_only c code start).
  Notation stands_same := (Sums.stands_same c code start).

  Lemma lea_right d a m m' v s : step c code (Lea d a) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Lea d a) s).
  Proof.
    intros H S. cbn [step] in H. destruct a as [r z|z].
    - pose proof (file_right _ _ _ _ _ _ S r) as F.
      destruct (file m r) as [w|b o|?|?]; [| |discriminate H..].
      + unbind H. destruct p as [[u out] s1]. cbn [denotes] in F.
        assert (is_word (Z.abs z mod radix)) as WZ by apply mod_word.
        destruct (sum_right _ _ _ _ _ _ (registers s r) (Z.abs z mod radix) 0 _ _ _ E
          (good_sys _ _ _ _ _ _ S) F (means_const _ _ _) (means_const _ _ _)
          (file_words _ _ _ _ _ _ S r) WZ ltac:(lia)) as (v' & EX & G & MW & _).
        { destruct (z <? 0); auto. }
        eapply finish_only; [exact H | exact S | reflexivity | exact EX | exact G | exact MW
          | apply mod_word |].
        cbn [execute effective]. do 2 f_equal. rewrite Z.add_0_r.
        destruct (Z.ltb_spec z 0).
        * replace (registers s r + -1 * (Z.abs z mod radix))
            with (registers s r - Z.abs z mod radix) by lia.
          rewrite Zminus_mod_idemp_r. f_equal. lia.
        * rewrite Z.mul_1_l, Z.add_mod_idemp_r by discriminate. f_equal. lia.
      + destruct (put_right _ _ _ _ _ s _ _ ((registers s r + z) mod radix) _ H S) as [Q T].
        * cbn [denotes] in *. rewrite F, Z.add_mod_idemp_l by discriminate. f_equal. lia.
        * apply mod_word.
        * eapply stands_same; eauto.
    - destruct (put_right _ _ _ _ _ s _ _ ((here s + z) mod radix) _ H S) as [Q T].
      + cbn [denotes]. rewrite (here_right _ _ _ _ _ _ S). f_equal. lia.
      + apply mod_word.
      + eapply stands_same; eauto.
  Qed.

  Lemma lea_sum_right d a b m m' v s : step c code (LeaSum d a b) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (LeaSum d a b) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. rename w into x. unbind H. rename w into y.
    pose proof (register_word _ _ _ _ _ E S) as MA. pose proof (register_word _ _ _ _ _ E0 S) as MB.
    pose proof (file_words _ _ _ _ _ _ S a) as WA. pose proof (file_words _ _ _ _ _ _ S b) as WB.
    assert (is_word 0) as W0 by (split; [lia | reflexivity]).
    destruct (register_beq a b) eqn:AB.
    - apply internal_register_dec_bl in AB. subst b. unbind H. destruct p as [w s1].
      destruct (shifted_right _ _ _ _ _ _ 0 _ _ E1 (good_sys _ _ _ _ _ _ S) MA
        (means_const _ _ _) WA W0 ltac:(lia)) as (v' & EX & G & MW).
      eapply finish_only; [exact H | exact S | reflexivity | exact EX | exact G | exact MW | |].
      + apply shifted_is_word; (assumption || lia).
      + cbn [execute]. do 2 f_equal. rewrite Z.div_0_l, Z.add_0_r by discriminate. f_equal.
        change (2 ^ 1) with 2. lia.
    - unbind H. destruct p as [[w out] s1].
      destruct (sum_right _ _ _ _ _ _ _ _ 0 _ _ _ E1 (good_sys _ _ _ _ _ _ S) MA MB
        (means_const _ _ _) WA WB ltac:(lia) ltac:(auto)) as (v' & EX & G & MW & _).
      eapply finish_only; [exact H | exact S | reflexivity | exact EX | exact G | exact MW
        | apply mod_word |].
      cbn [execute]. do 3 f_equal. lia.
  Qed.

  Lemma mod_sub_word x z : (x mod radix - z) mod radix = (x - z) mod radix.
  Proof. apply Zminus_mod_idemp_l. Qed.

  Lemma push_right r m m' v s : step c code (Push r) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Push r) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. rename z into o. unbind H. rename m0 into m1.
    pose proof (stack_offset_right _ _ _ _ _ _ _ S E) as P.
    destruct (store_right _ _ _ R _ _ _ _ _ _ _ _ E0 S (file_right _ _ _ _ _ _ S r)
      (file_words _ _ _ _ _ _ S r)) as (N & Q & F & S1).
    destruct (move_stack_right _ _ _ _ _ _ _ _ H S1) as [Q2 S2].
    eapply stands_same; [rewrite Q2; exact Q | exact S2 |].
    cbn [execute]. rewrite P, mod_sub_word. rewrite <- Z.add_sub_assoc, N. reflexivity.
  Qed.

  Lemma pop_right d m m' v s : step c code (Pop d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Pop d) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. rename z into o. unbind H. destruct p as [k m1].
    unbind H. rename m0 into m2.
    pose proof (stack_offset_right _ _ _ _ _ _ _ S E) as P.
    destruct (load_from_right _ _ _ R _ _ _ _ _ _ _ E0 S) as (-> & J & D).
    pose proof (simulates_access _ _ _ _ _ _ _ _ _ S J) as S1.
    destruct (move_stack_right _ _ _ _ _ _ _ _ E1 S1) as [Q2 S2].
    pose proof (inside_no_wrap _ _ _ R _ _ _ J ltac:(lia)) as N.
    destruct (put_right _ _ _ _ _ _ _ _ _ _ H S2 ltac:(rewrite Q2; exact D)
      (load_is_word _ _ (bytes _ _ _ _ _ _ S))) as [Q3 S3].
    eapply stands_same; [rewrite Q3; exact Q2 | exact S3 |].
    cbn [execute]. rewrite P, N. do 2 f_equal. f_equal.
    rewrite Z.add_assoc. reflexivity.
  Qed.

  (** A product and its flags: [mul], [mulx], [imul]. *)
  Lemma two_words m m1 m2 m' v v' s s1 low_r high_r s' l h A B f g b d :
    put_word low_r l s' (with_flags f g m1) = Some m2 -> put high_r (Known h) m2 = Some m' ->
    sim v m1 s1 -> sys m1 = sys m -> extends (sys m) v s' v' -> good s' v' ->
    means s' v' l A -> means s' v' h B -> is_word A -> is_word B ->
    flag_means s' v' f b -> flag_means s' v' g d ->
    s = Some (set high_r B (set low_r A (flags b d s1))) -> stands_for m m' v s.
  Proof.
    intros P1 P2 S Q EX G ML MH WA WB F1 F2 ->. rewrite <- Q in EX.
    pose proof (simulates_flags _ _ _ v' (with_sys s' m1) s1 f g b d
      (simulates_sys _ _ _ _ _ _ _ _ S EX G) F1 F2) as S'.
    unfold put_word in P1.
    destruct (put_right _ _ _ v' _ _ _ (Known l) A _ P1 S' ML WA) as [Q1 T1].
    destruct (put_right _ _ _ v' _ _ _ (Known h) B _ P2 T1 ltac:(rewrite Q1; exact MH) WB)
      as [Q2 T2].
    exists (set high_r B (set low_r A (flags b d s1))), v'. split; [reflexivity|].
    split; [exact T2|]. rewrite Q2, Q1. cbn [with_flags with_sys sys]. rewrite <- Q. exact EX.
  Qed.

  Lemma mul_right o m m' v s : step c code (Mul o) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Mul o) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [k m1]. unbind H. unbind H. unbind H.
    destruct p as [[l h] s1]. unbind H.
    destruct (read_word _ _ _ _ _ _ _ E E1 S) as (S1 & MB & Q & _).
    pose proof (register_word _ _ _ _ _ E0 S) as MA.
    pose proof (file_words _ _ _ _ _ _ S RAX) as WA.
    pose proof (operand_word _ _ _ v m s o S) as WB.
    destruct (multiply_right _ _ _ _ _ _ _ _ _ E2 (good_sys _ _ _ _ _ _ S) MA MB WA WB)
      as (v' & EX & G & ML & MH).
    eapply two_words; [exact E3 | exact H | exact S1 | exact Q | exact EX | exact G | exact ML
      | exact MH | apply mod_word | now apply product_high | exact I | exact I | reflexivity].
  Qed.

  Lemma mulx_right hi lo o m m' v s : step c code (Mulx hi lo o) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Mulx hi lo o) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [k m1]. unbind H. unbind H. unbind H.
    destruct p as [[l h] s1]. unbind H.
    destruct (read_word _ _ _ _ _ _ _ E E1 S) as (S1 & MB & Q & FC & FO).
    pose proof (register_word _ _ _ _ _ E0 S) as MA.
    pose proof (file_words _ _ _ _ _ _ S RDX) as WA.
    pose proof (operand_word _ _ _ v m s o S) as WB.
    destruct (multiply_right _ _ _ _ _ _ _ _ _ E2 (good_sys _ _ _ _ _ _ S) MA MB WA WB)
      as (v' & EX & G & ML & MH).
    rewrite <- (with_own_flags m1) in E3.
    eapply two_words; [exact E3 | exact H | exact S1 | exact Q | exact EX | exact G | exact ML
      | exact MH | apply mod_word | now apply product_high | | |].
    - eapply flag_extends; [exact EX|]. rewrite <- Q. apply (cf_right _ _ _ _ _ _ S1).
    - eapply flag_extends; [exact EX|]. rewrite <- Q. apply (of_right _ _ _ _ _ _ S1).
    - rewrite own_flags. reflexivity.
  Qed.

  Lemma imul_right d p q m m' v s : step c code (Imul d p q) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Imul d p q) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p0 as [x m1]. unbind H. destruct p0 as [y m2].
    unbind H. unbind H. unbind H. destruct p0 as [[l h] s1].
    destruct (read_word _ _ _ _ _ _ _ E E1 S) as (S1 & MA & Q1 & _).
    destruct (read_word _ _ _ _ _ _ _ E0 E2 S1) as (S2 & MB & Q2 & _).
    rewrite Q1 in MB.
    assert (operand (access p s) q = operand s q) as SAME.
    { destruct p as [|a|], q as [|b|]; reflexivity || (destruct b; reflexivity). }
    rewrite SAME in MB.
    destruct (multiply_right _ _ _ _ _ _ _ _ _ E3 (good_sys _ _ _ _ _ _ S) MA MB
      (operand_word _ _ _ v m s p S) (operand_word _ _ _ v m s q S)) as (v' & EX & G & ML & _).
    eapply finish; [exact H | exact S2 | congruence | exact EX | exact G | exact ML
      | apply mod_word | exact I | exact I | reflexivity].
  Qed.

  Lemma run_shift_right k d high low n m m' v s A B w :
    run_shift k d high low n m = Some m' -> sim v m s -> 0 < n < 64 ->
    denotes c start (sys m) v high A -> denotes c start (sys m) v low B -> is_word A -> is_word B ->
    w = A * 2 ^ n mod radix + B / 2 ^ (64 - n) -> stands_for m m' v (shift k d w s).
  Proof.
    unfold run_shift, shift. intros H S N DA DB WA WB ->.
    destruct ((0 <? k) && (k <? 64)) eqn:K; [|discriminate]. cbn [guard bind] in H.
    unbind H. unbind H. unbind H. destruct p as [u s1].
    destruct high as [a'|?|?|?]; [|discriminate..]. injection E as ->.
    destruct low as [b'|?|?|?]; [|discriminate..]. injection E0 as ->.
    destruct (shifted_right _ _ _ _ _ _ _ _ _ E1 (good_sys _ _ _ _ _ _ S) DA DB WA WB N)
      as (v' & EX & G & MW).
    eapply finish; [exact H | exact S | reflexivity | exact EX | exact G | exact MW | | exact I
      | exact I | reflexivity].
    now apply shifted_is_word.
  Qed.

  (** Where a shift's count is none, nothing is said. *)
  Lemma shift_count k (P : Prop) : ((0 <? k) && (k <? 64) = false -> P) -> (0 < k < 64 -> P) -> P.
  Proof.
    intros F T. destruct ((0 <? k) && (k <? 64)) eqn:K; [|auto]. apply andb_prop in K as [K1 K2].
    apply Z.ltb_lt in K1, K2. apply T. lia.
  Qed.

  Lemma shr_right d k m m' v s : step c code (Shr d k) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Shr d k) s).
  Proof.
    intros H S. cbn [step] in H. cbn [execute]. unfold shift.
    destruct ((0 <? k) && (k <? 64)) eqn:K; [|discriminate]. cbn [guard bind] in H.
    apply andb_prop in K as [K1 K2]. apply Z.ltb_lt in K1, K2.
    unbind H. unbind H. destruct p as [t s1]. unbind H. destruct p as [u s2].
    pose proof (file_words _ _ _ _ _ _ S d) as W.
    destruct (top_right _ _ _ _ _ _ _ E0 (good_sys _ _ _ _ _ _ S)
      (register_word _ _ _ _ _ E S) W ltac:(lia)) as (v1 & X1 & G1 & M1).
    replace (64 - (64 - k)) with k in M1 by lia.
    assert (is_word (registers s d / 2 ^ k)) as WD.
    { unfold is_word in *. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
      split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; nia. }
    destruct (define_word_right _ _ v1 (registers s d / 2 ^ k) _ _ E1 G1) as (v2 & X2 & G2 & M2).
    { intros x X. rewrite value_word. now apply M1. }
    { exact WD. }
    eapply finish; [exact H | exact S | reflexivity | exact (extends_trans _ _ _ _ _ _ X1 X2)
      | exact G2 | exact M2 | exact WD | exact I | exact I | reflexivity].
  Qed.

  Lemma land_word A B : is_word A -> is_word B -> is_word (Z.land A B).
  Proof.
    unfold is_word. intros WA WB. split; [apply Z.land_nonneg; lia|].
    rewrite <- (Z.mod_small A radix) by lia. change radix with (2 ^ 64).
    rewrite <- Z.land_ones, <- Z.land_assoc, (Z.land_comm (Z.ones 64)), Z.land_assoc,
      Z.land_ones by lia.
    apply Z.mod_pos_bound. reflexivity.
  Qed.

  Lemma and_right d o m m' v s : step c code (And d o) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (And d o) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [k m1]. unbind H. unbind H. unbind H.
    destruct p as [u s1].
    destruct (read_word _ _ _ _ _ _ _ E E1 S) as (S1 & MB & Q & _).
    pose proof (register_word _ _ _ _ _ E0 S) as MA.
    pose proof (file_words _ _ _ _ _ _ S d) as WA. pose proof (operand_word _ _ _ v m s o S) as WB.
    destruct (masked_right _ _ _ _ _ _ _ _ E2 (good_sys _ _ _ _ _ _ S) MA MB WA WB)
      as (v' & EX & G & MW).
    eapply finish; [exact H | exact S1 | exact Q | exact EX | exact G | exact MW
      | now apply land_word | apply clear_right | apply clear_right | reflexivity].
  Qed.

  Lemma lor_word A B : is_word A -> is_word B -> is_word (Z.lor A B).
  Proof.
    unfold is_word. intros WA WB. split; [apply Z.lor_nonneg; lia|].
    rewrite <- (Z.mod_small A radix), <- (Z.mod_small B radix) by lia. change radix with (2 ^ 64).
    rewrite <- !Z.land_ones, <- Z.land_lor_distr_l, Z.land_ones by lia.
    apply Z.mod_pos_bound. reflexivity.
  Qed.

  Lemma parts_right v s k A l : parts k = Some l -> denotes c start s v k A -> is_word A ->
    denotes c start s v (AnyOf l) A.
  Proof.
    intros P D W. destruct k as [w|? ?|u|?]; cbn [parts as_word bind] in P; try discriminate P.
    - injection P as <-. exists [A]. split; [now constructor|]. split; [now constructor|].
      split; intros Z; [now constructor | now inversion Z].
    - injection P as ->. exact D.
  Qed.

  Lemma or_right d o m m' v s : step c code (Or d o) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Or d o) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [k m1]. unbind H. unbind H.
    destruct (read_right _ _ _ R v m s o k m1 E S) as (S1 & DB & Q & _).
    pose proof (file_words _ _ _ _ _ _ S d) as WA. pose proof (operand_word _ _ _ v m s o S) as WB.
    destruct (parts_right v _ _ _ _ E0 (file_right _ _ _ _ _ _ S d) WA) as (X & FX & WX & ZX).
    destruct (parts_right v _ _ _ _ E1 DB WB) as (Y & FY & WY & ZY).
    destruct (put_right c code start v _ (flags (Some false) (Some false) (access o s)) _ _
      (Z.lor (registers s d) (operand s o)) _ H) as [Q2 S2].
    - apply simulates_flags; [exact S1 | apply clear_right | apply clear_right].
    - cbn [with_flags sys]. rewrite Q. exists (X ++ Y). split; [now apply Forall2_app|].
      rewrite !Forall_app, Z.lor_eq_0_iff, ZX, ZY. tauto.
    - now apply lor_word.
    - eapply stands_same; [rewrite Q2; exact Q | exact S2 | reflexivity].
  Qed.

  Lemma cmov_right k d o m m' v s : step c code (Cmov k d o) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Cmov k d o) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [x m1]. unbind H. unbind H. unbind H.
    unbind H. destruct p as [u s1].
    destruct (read_word _ _ _ _ _ _ _ E E2 S) as (S1 & MB & Q & _).
    pose proof (register_word _ _ _ _ _ E1 S) as MA.
    pose proof (file_words _ _ _ _ _ _ S d) as WA. pose proof (operand_word _ _ _ v m s o S) as WB.
    pose proof (cf_right _ _ _ _ _ _ S) as C. rewrite E0 in C. destruct C as (f & CF & MF).
    cbn [execute]. rewrite CF.
    destruct k; destruct (choose_right _ _ _ _ _ _ _ _ _ _ E3 (good_sys _ _ _ _ _ _ S) MF
        ltac:(first [exact MA | exact MB]) ltac:(first [exact MA | exact MB])
        ltac:(assumption) ltac:(assumption)) as (v' & EX & G & MW);
      (eapply finish_only; [exact H | exact S1 | exact Q | exact EX | exact G | exact MW | |]);
      destruct f; reflexivity || assumption.
  Qed.

  Lemma bzhi_right d o index m m' v s : step c code (Bzhi d o index) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Bzhi d o index) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. destruct p as [k m1]. unbind H. unbind H.
    destruct ((0 <? z) && (z <? 64)) eqn:K; [|discriminate]. cbn [guard bind] in H.
    apply andb_prop in K as [K1 K2]. pose proof K2 as K3. apply Z.ltb_lt in K1, K2.
    unbind H. destruct p as [u s1].
    destruct (read_word _ _ _ _ _ _ _ E E0 S) as (S1 & MB & Q & _).
    pose proof (operand_word _ _ _ v m s o S) as WB.
    assert (registers s index mod 256 = z) as I
      by exact (byte_number_right _ _ _ _ _ _ _ E1 (file_right _ _ _ _ _ _ S index)).
    assert (0 < 2 ^ z) as P by (apply Z.pow_pos_nonneg; lia).
    assert (2 ^ z <= radix) as B by (apply Z.pow_le_mono_r; lia).
    assert (is_word (2 ^ z - 1)) as WO by (unfold is_word; lia).
    destruct (masked_right _ _ _ _ _ _ _ _ E2 (good_sys _ _ _ _ _ _ S) (means_const _ _ _) MB
      WO WB) as (v' & EX & G & MW).
    assert (Z.land (2 ^ z - 1) (operand s o) = operand s o mod 2 ^ z) as L.
    { rewrite Z.land_comm, <- Z.land_ones by lia. now rewrite Z.ones_equiv, Z.sub_1_r. }
    cbn [execute]. rewrite I, K3. cbv zeta. cbn [negb]. rewrite <- L.
    eapply finish; [exact H | exact S1 | exact Q | exact EX | exact G | exact MW
      | now apply land_word | apply clear_right | apply clear_right | reflexivity].
  Qed.

  Theorem step_right i m m' v s : step c code i m = Some m' -> sim v m s ->
    stands_for m m' v (execute i s).
  Proof.
    intros H S. destruct i.
    - cbn [step] in H. unbind H. destruct p as [k m1].
      destruct (read_right _ _ _ R v m s o k m1 E S) as (S1 & D & Q & _).
      destruct (put_right _ _ _ _ _ _ _ _ _ _ H S1 ltac:(rewrite Q; exact D)
        (operand_word _ _ _ v m s o S)) as [Q2 S2].
      eapply stands_same; [rewrite Q2; exact Q | exact S2 | reflexivity].
    - cbn [step] in H. unbind H. destruct p as [b o].
      pose proof (address_right _ _ _ _ _ _ _ _ _ S E) as A.
      destruct (store_right _ _ _ R _ _ _ _ _ _ _ _ H S (file_right _ _ _ _ _ _ S r)
        (file_words _ _ _ _ _ _ S r)) as (N & Q & _ & S1).
      eapply stands_same; [exact Q | exact S1 |]. cbn [execute]. rewrite A, N. reflexivity.
    - now apply lea_right.
    - now apply lea_sum_right.
    - now apply push_right.
    - now apply pop_right.
    - cbn [step] in H. destruct k; try (now apply run_sum_right).
      destruct (stack_immediate d o) as [z|] eqn:I; [|now apply run_sum_right].
      apply stack_immediate_right in I as [-> ->]. unbind H. eapply sum_stack_right; eauto.
    - now apply sum_to_right.
    - cbn [step] in H. destruct k; try (now apply run_difference_right).
      destruct (stack_immediate d o) as [z|] eqn:I; [|now apply run_difference_right].
      apply stack_immediate_right in I as [-> ->]. unbind H. eapply difference_stack_right; eauto.
    - now apply mul_right.
    - now apply mulx_right.
    - now apply imul_right.
    - cbn [step execute] in *. apply (shift_count count); intros K.
      + unfold run_shift in H. rewrite K in H. discriminate H.
      + eapply run_shift_right; eauto using file_right, file_words.
    - cbn [step execute] in *. apply (shift_count count); intros K.
      + unfold run_shift in H. rewrite K in H. discriminate H.
      + eapply run_shift_right; eauto using file_right, file_words; [lia|].
        now replace (64 - (64 - count)) with count by lia.
    - cbn [step execute] in *. apply (shift_count count); intros K.
      + unfold run_shift in H. rewrite K in H. discriminate H.
      + eapply (run_shift_right count _ _ _ _ _ _ _ _ _ 0); eauto using file_right, file_words.
        * apply means_const.
        * split; [lia | reflexivity].
        * rewrite Z.div_0_l by (apply Z.pow_nonzero; lia). lia.
    - now apply shr_right.
    - now apply and_right.
    - now apply or_right.
    - now apply neg_right.
    - now apply not_right.
    - now apply setb_right.
    - now apply mov_byte_right.
    - now apply add_byte_right.
    - now apply bzhi_right.
    - cbn [step] in H. destruct (register_beq d r) eqn:E; [|discriminate].
      apply internal_register_dec_bl in E. subst r. cbn [guard bind] in H.
      destruct (put_right c code start v _ (flags (Some false) (Some false) s) _ _ 0 _ H) as [Q S2].
      + apply simulates_flags; [exact S | apply clear_right | apply clear_right].
      + apply means_const.
      + split; [lia | reflexivity].
      + eapply stands_same; [exact Q | exact S2 |]. cbn [execute]. now rewrite Z.lxor_nilpotent.
    - cbn [step] in H. destruct (register_beq d r) eqn:E; [|discriminate].
      apply internal_register_dec_bl in E. subst r. cbn [guard bind] in H.
      destruct (put_right c code start v _ (flags (Some false) (Some false) s) _ _ 0 _ H) as [Q S2].
      + apply simulates_flags; [exact S | apply clear_right | apply clear_right].
      + apply means_const.
      + split; [lia | reflexivity].
      + eapply stands_same; [exact Q | exact S2 |]. cbn [execute]. now rewrite Z.lxor_nilpotent.
    - cbn [step] in H. injection H as <-.
      eapply stands_same; [reflexivity | | reflexivity].
      apply simulates_flags; [exact S | apply clear_right | apply clear_right].
    - injection H as <-. eapply stands_same; [reflexivity | exact S | reflexivity].
    - now apply cmov_right.
    - now apply call_right.
    - discriminate H.
  Qed.
End Kernel.
