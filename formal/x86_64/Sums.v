(** What a symbolic step has to show, and that sums, differences and moves of the stack do. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation.
Import ListNotations.
Open Scope Z_scope.

Lemma sum_flag A B C : is_word A -> is_word B ->
  (A + 1 * (B + Z.b2z C)) mod radix = (A + B + Z.b2z C) mod radix /\
  1 * ((A + 1 * (B + Z.b2z C)) / radix) = Z.b2z (radix <=? A + B + Z.b2z C).
Proof.
  unfold is_word. intros WA WB. replace (A + 1 * (B + Z.b2z C)) with (A + B + Z.b2z C) by lia.
  split; [reflexivity|].
  pose proof radix_pos as P. assert (0 <= Z.b2z C <= 1) by (destruct C; cbn; lia).
  destruct (Z.leb_spec radix (A + B + Z.b2z C)) as [H1|H1]; cbn [Z.b2z].
  - rewrite <- (Z.div_unique (A + B + Z.b2z C) radix 1 (A + B + Z.b2z C - radix)); lia.
  - rewrite Z.div_small; lia.
Qed.

Lemma difference_flag A B C : is_word A -> is_word B ->
  (A + -1 * (B + Z.b2z C)) mod radix = (A - B - Z.b2z C) mod radix /\
  -1 * ((A + -1 * (B + Z.b2z C)) / radix) = Z.b2z (A - B - Z.b2z C <? 0).
Proof.
  unfold is_word. intros WA WB. replace (A + -1 * (B + Z.b2z C)) with (A - B - Z.b2z C) by lia.
  split; [reflexivity|].
  pose proof radix_pos as P. assert (0 <= Z.b2z C <= 1) by (destruct C; cbn; lia).
  destruct (Z.ltb_spec (A - B - Z.b2z C) 0) as [H1|H1]; cbn [Z.b2z].
  - rewrite <- (Z.div_unique (A - B - Z.b2z C) radix (-1) (A - B - Z.b2z C + radix)); lia.
  - rewrite Z.div_small; lia.
Qed.

Lemma product_high A B : is_word A -> is_word B -> is_word (A * B / radix).
Proof.
  unfold is_word. intros WA WB. split.
  - apply Z.div_pos; [nia | reflexivity].
  - apply Z.div_lt_upper_bound; [reflexivity|]. nia.
Qed.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation means_content := (denotes c start).

  Definition stands_for (m m' : machine) (v : valuation) (s : option state) : Prop :=
    exists s' v', s = Some s' /\ sim v' m' s' /\ extends (sys m) v (sys m') v'.

  (** An operand that is a word. *)
  Lemma read_word o m v s k m1 w : read c code o m = Some (k, m1) -> as_word k = Some w ->
    sim v m s ->
    sim v m1 (access o s) /\ means (sys m) v w (operand s o) /\ sys m1 = sys m /\
    cf m1 = cf m /\ of m1 = of m.
  Proof.
    intros E K S. destruct (read_right _ _ _ R v m s o k m1 E S) as (S1 & D & Q & F).
    destruct k as [u|?|?|?]; [|discriminate..]. injection K as ->. auto.
  Qed.

  Lemma register_word m v s r w : as_word (file m r) = Some w -> sim v m s ->
    means (sys m) v w (registers s r).
  Proof.
    intros K S. pose proof (file_right _ _ _ _ _ _ S r) as D.
    destruct (file m r) as [u|?|?|?]; [|discriminate..]. injection K as ->. exact D.
  Qed.

  (** A word put into a register, with its flags, in a system that the step has made. *)
  Lemma finish m m1 m' v v' s s1 s' r w A f g b d :
    put_word r w s' (with_flags f g m1) = Some m' -> sim v m1 s1 -> sys m1 = sys m ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    flag_means s' v' f b -> flag_means s' v' g d -> s = Some (set r A (flags b d s1)) ->
    stands_for m m' v s.
  Proof.
    intros P S Q E G M W F1 F2 ->. rewrite <- Q in E.
    destruct (put_word_right _ _ _ v m1 s1 v' s' r w A m' f g b d P S E G M W F1 F2)
      as (v2 & S2 & E2).
    rewrite Q in E2. exists (set r A (flags b d s1)), v2. auto.
  Qed.

  Lemma finish_only m m1 m' v v' s s1 s' r w A :
    put_word r w s' m1 = Some m' -> sim v m1 s1 -> sys m1 = sys m ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    s = Some (set r A s1) -> stands_for m m' v s.
  Proof.
    intros P S Q E G M W ->. rewrite <- Q in E.
    destruct (put_only_right _ _ _ v m1 s1 v' s' r w A m' P S E G M W) as (v2 & S2 & E2).
    rewrite Q in E2. exists (set r A s1), v2. auto.
  Qed.

  Lemma stands_same m m' v s s' : sys m' = sys m -> sim v m' s' -> s = Some s' ->
    stands_for m m' v s.
  Proof. intros Q S ->. exists s', v. rewrite Q. auto using extends_refl. Qed.

  Lemma clear_right s v : flag_means s v clear (Some false).
  Proof. exists false. split; [reflexivity | apply means_const]. Qed.

  (** ** Sums and differences *)

  Lemma sum_carry_right k m v s w : sum_carry k m = Some w -> sim v m s ->
    exists x, carry_in k s = Some x /\ means (sys m) v w (Z.b2z x).
  Proof.
    intros H S. pose proof (cf_right _ _ _ _ _ _ S) as C. pose proof (of_right _ _ _ _ _ _ S) as O.
    destruct k; cbn [sum_carry carry_in] in *.
    - injection H as <-. exists false. split; [reflexivity | apply means_const].
    - rewrite H in C. exact C.
    - rewrite H in C. exact C.
    - rewrite H in O. exact O.
  Qed.

  Lemma run_sum_right k d o m m' v s : run_sum c code k d o m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Sum k d o) s).
  Proof.
    intros H S. unfold run_sum in H. unbind H. destruct p as [second m1].
    unbind H. rename w into a. unbind H. rename w into b. unbind H. rename w into ci.
    unbind H. destruct p as [[w out] s1].
    destruct (read_word _ _ _ _ _ _ _ E E1 S) as (S1 & MB & Q & F1 & F2).
    pose proof (register_word _ _ _ _ _ E0 S) as MA.
    destruct (sum_carry_right _ _ _ _ _ E2 S) as (x & X & MC).
    pose proof (file_words _ _ _ _ _ _ S d) as WA. pose proof (operand_word _ _ _ v m s o S) as WB.
    assert (exists v', extends (sys m) v s1 v' /\ good s1 v' /\
      means s1 v' w ((registers s d + operand s o + Z.b2z x) mod radix) /\
      means s1 v' out (Z.b2z (radix <=? registers s d + operand s o + Z.b2z x)))
      as (v' & EX & G & MW & MO).
    { destruct (sum_flag (registers s d) (operand s o) x WA WB) as [SW SF].
      destruct (same_register d o && word_eqb ci (Const 0)) eqn:SR.
      - apply andb_prop in SR as [SR CZ]. apply word_eqb_eq in CZ. subst ci.
        destruct o as [r| |]; try discriminate. apply internal_register_dec_bl in SR. subst r.
        pose proof (always_now _ _ _ MC) as XZ. cbn [word_value] in XZ.
        destruct x; [discriminate|]. cbn [operand Z.b2z] in *.
        rewrite Z.add_0_r in SF |- *.
        destruct (doubled_right _ _ _ _ _ _ _ E3 (good_sys _ _ _ _ _ _ S) MA WA)
          as (v' & EX & G & MW & MO).
        exists v'. rewrite Z.add_0_r, !Z.mul_1_l in SF. rewrite <- SF. auto.
      - destruct (sum_right _ _ _ _ _ _ _ _ _ _ _ _ E3 (good_sys _ _ _ _ _ _ S) MA MB MC WA WB)
          as (v' & EX & G & MW & MO); [destruct x; cbn; lia | auto |].
        exists v'. rewrite SW in MW. rewrite SF in MO. auto. }
    cbn [execute]. rewrite X.
    assert (flag_means s1 v' (Some out) (Some (radix <=? registers s d + operand s o + Z.b2z x)))
      as FO by (eexists; eauto).
    assert (flag_means s1 v' (cf m1) (carry (access o s))) as KC.
    { eapply flag_extends; [exact EX|]. rewrite <- Q. apply (cf_right _ _ _ _ _ _ S1). }
    assert (flag_means s1 v' (of m1) (overflow (access o s))) as KO.
    { eapply flag_extends; [exact EX|]. rewrite <- Q. apply (of_right _ _ _ _ _ _ S1). }
    destruct k; cbn [sum_flags carry_out] in *;
      (eapply finish; [exact H | exact S1 | exact Q | exact EX | exact G | exact MW
        | apply mod_word | | | reflexivity]); first [exact FO | exact KC | exact KO | exact I].
  Qed.

  Lemma sum_to_right k a r m m' v s : run_sum_to c code k a r m = Some m' -> sim v m s ->
    stands_for m m' v (execute (SumTo k a r) s).
  Proof.
    intros H S. unfold run_sum_to in H. unbind H. destruct p as [b o].
    unbind H. destruct p as [first m1]. unbind H. rename w into x. unbind H. rename w into y.
    unbind H. rename w into ci. unbind H. destruct p as [[w out] s1].
    pose proof (address_right _ _ _ _ _ _ _ _ _ S E) as A.
    destruct (load_from_right _ _ _ R _ _ _ _ _ _ _ E0 S) as (-> & I & D).
    destruct first as [u|?|?|?]; try discriminate E1. injection E1 as ->. cbn [denotes] in D.
    pose proof (register_word _ _ _ _ _ E2 S) as MB.
    destruct (sum_carry_right _ _ _ _ _ E3 S) as (f & X & MC).
    set (to := place c start b + o) in *. set (cell := load (memory s) to) in *.
    assert (is_word cell) as WA by (apply load_is_word, (bytes _ _ _ _ _ _ S)).
    pose proof (file_words _ _ _ _ _ _ S r) as WB.
    destruct (sum_flag cell (registers s r) f WA WB) as [SW SF].
    destruct (sum_right _ _ _ _ _ _ _ _ _ _ _ _ E4 (good_sys _ _ _ _ _ _ S) D MB MC WA WB)
      as (v' & EX & G & MW & MO); [destruct f; cbn; lia | auto |].
    rewrite SW in MW. rewrite SF in MO.
    set (total := cell + registers s r + Z.b2z f) in *.
    pose proof (simulates_sys _ _ _ _ _ _ _ _
      (simulates_access _ _ _ _ _ _ _ _ _ S I) EX G) as S1. fold to in S1.
    assert (sim v' (with_sys s1 (sum_flags k out (with_access b o 8 m)))
      (carry_out k (radix <=? total) (note to 8 s))) as S2.
    { pose proof (cf_right _ _ _ _ _ _ S1) as KC. pose proof (of_right _ _ _ _ _ _ S1) as KO.
      assert (flag_means s1 v' (Some out) (Some (radix <=? total))) as FO by (eexists; eauto).
      destruct k; (eapply (simulates_flags _ _ _ _ (with_sys s1 (with_access b o 8 m)));
        [exact S1 | first [exact FO | exact KC | exact KO | exact Logic.I] ..]). }
    destruct (store_right _ _ _ R _ _ _ _ _ _ (total mod radix) _ H S2 MW (mod_word _))
      as (N & Q & _ & S3).
    exists (write to (total mod radix) (carry_out k (radix <=? total) (note to 8 s))), v'.
    split; [|split; [exact S3 | rewrite Q; exact EX]].
    cbn [execute]. rewrite X, A. fold to in N |- *. cbv zeta. now rewrite N.
  Qed.

  Lemma borrow_right k m v s w :
    (match k with Sub => Some (Const 0) | Sbb => cf m end) = Some w -> sim v m s ->
    exists x, (match k with Sub => Some false | Sbb => carry s end) = Some x /\
      means (sys m) v w (Z.b2z x).
  Proof.
    intros H S. pose proof (cf_right _ _ _ _ _ _ S) as C. destruct k.
    - injection H as <-. exists false. split; [reflexivity | apply means_const].
    - rewrite H in C. exact C.
  Qed.

  Lemma run_difference_right k d o m m' v s : run_difference c code k d o m = Some m' ->
    sim v m s -> stands_for m m' v (execute (Difference k d o) s).
  Proof.
    intros H S. unfold run_difference in H. unbind H. destruct p as [second m1].
    unbind H. rename w into bi. destruct (borrow_right _ _ _ _ _ E0 S) as (x & X & MC).
    pose proof (file_words _ _ _ _ _ _ S d) as WA. pose proof (operand_word _ _ _ v m s o S) as WB.
    destruct (same_register d o && match k with Sub => false | Sbb => true end) eqn:SR.
    - apply andb_prop in SR as [SR K]. destruct k; [discriminate|].
      destruct o as [r| |]; try discriminate. apply internal_register_dec_bl in SR. subst r.
      cbn [read] in E. injection E as _ <-. unbind H. destruct p as [w s1].
      destruct (mask_right _ _ _ x _ _ E (good_sys _ _ _ _ _ _ S) MC) as (v' & EX & G & MW).
      cbn [execute]. rewrite X. cbn [operand access] in *.
      replace (registers s d - registers s d - Z.b2z x) with (- Z.b2z x) by lia.
      eapply finish; [exact H | exact S | reflexivity | exact EX | exact G | exact MW
        | | | exact I |].
      + destruct x; split; reflexivity || discriminate.
      + exists x. split; [reflexivity | exact (means_extends _ _ _ _ _ _ EX MC)].
      + destruct x; reflexivity.
    - unbind H. rename w into a. unbind H. rename w into b. unbind H. destruct p as [[w out] s1].
      destruct (read_word _ _ _ _ _ _ _ E E2 S) as (S1 & MB & Q & F1 & F2).
      pose proof (register_word _ _ _ _ _ E1 S) as MA.
      destruct (difference_flag (registers s d) (operand s o) x WA WB) as [SW SF].
      destruct (sum_right _ _ _ _ _ _ _ _ _ _ _ _ E3 (good_sys _ _ _ _ _ _ S) MA MB MC WA WB)
        as (v' & EX & G & MW & MO); [destruct x; cbn; lia | auto |].
      rewrite SW in MW. rewrite SF in MO. cbn [execute]. rewrite X.
      eapply finish; [exact H | exact S1 | exact Q | exact EX | exact G | exact MW
        | apply mod_word | | exact I | reflexivity].
      eexists; eauto.
  Qed.

  (** ** Complements *)

  Lemma not_right d m m' v s : step c code (Not d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Not d) s).
  Proof.
    intros H S. cbn [step] in H. cbn [execute].
    unbind H. unbind H. destruct p as [u s1].
    pose proof (file_words _ _ _ _ _ _ S d) as W.
    pose proof (register_word _ _ _ _ _ E S) as M.
    assert (is_word (radix - 1 - registers s d)) as WD by (unfold is_word in *; lia).
    destruct (define_word_right _ _ v (radix - 1 - registers s d) _ _ E0
      (good_sys _ _ _ _ _ _ S)) as (v1 & X1 & G1 & M1).
    { intros x X. rewrite value_minus, value_word, (M x X). cbn [constant value product]. lia. }
    { exact WD. }
    eapply finish_only; eauto.
  Qed.

  (** ** Whether a word is 0 *)

  Lemma neg_right d m m' v s : step c code (Neg d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Neg d) s).
  Proof.
    intros H S. cbn [step] in H. cbn [execute]. cbv zeta.
    pose proof (file_words _ _ _ _ _ _ S d) as WA.
    assert ((- registers s d <? 0) = negb (registers s d =? 0)) as N.
    { unfold is_word in WA. destruct (Z.eqb_spec (registers s d) 0), (Z.ltb_spec (- registers s d) 0);
        reflexivity || lia. }
    destruct (file m d) as [w|b o|l|l] eqn:K; try discriminate H.
    - cbn [as_word bind] in H. unbind H. destruct p as [[w' out] s1].
      pose proof (file_right _ _ _ _ _ _ S d) as D. rewrite K in D. cbn [denotes] in D.
      destruct (difference_flag 0 (registers s d) false ltac:(split; [lia | reflexivity]) WA)
        as [SW SF].
      destruct (sum_right _ _ _ _ _ _ 0 _ 0 _ _ _ E (good_sys _ _ _ _ _ _ S) (means_const _ _ _) D
        (means_const _ _ _)) as (v' & EX & G & MW & MO);
        [split; [lia | reflexivity] | exact WA | lia | auto |].
      cbn [Z.b2z] in SW, SF. rewrite SW in MW. rewrite SF in MO.
      rewrite Z.sub_0_r in MW, MO. change (0 - registers s d) with (- registers s d) in MW, MO.
      eapply finish; [exact H | exact S | reflexivity | exact EX | exact G | exact MW
        | apply mod_word | | exact I | reflexivity].
      eexists; eauto.
    - unbind H. destruct p as [borrow s1].
      pose proof (file_right _ _ _ _ _ _ S d) as D. rewrite K in D. destruct D as (B & F & W & Z).
      destruct (any_right l _ _ _ _ false _ _ E (good_sys _ _ _ _ _ _ S) F W (means_const _ _ _))
        as (v' & EX & G & MO).
      pose proof (simulates_flags c code start v' (with_sys s1 m) s (Some borrow) None
        (Some (- registers s d <? 0)) None
        ltac:(eapply simulates_sys; eassumption)) as S1.
      destruct (put_right c code start v' _ (flags (Some (- registers s d <? 0)) None s) _
        (Flags []) ((- registers s d) mod radix) _ H) as [Q S2].
      + apply S1; [|exact I]. exists (- registers s d <? 0). split; [reflexivity|]. cbn [sys with_sys].
        rewrite N. cbn [orb] in MO. replace (registers s d =? 0) with (forallb (Z.eqb 0) B); [exact MO|].
        apply eq_true_iff_eq. rewrite Z.eqb_eq, Z, forallb_forall, Forall_forall.
        split; intros T x X; specialize (T x X); now apply Z.eqb_eq.
      + intros k w [].
      + apply mod_word.
      + exists (set d ((- registers s d) mod radix) (flags (Some (- registers s d <? 0)) None s)), v'.
        split; [reflexivity|]. split; [exact S2|]. rewrite Q. exact EX.
  Qed.

  (** ** The stack pointer *)

  Lemma stack_immediate_right d o z : stack_immediate d o = Some z -> d = RSP /\ o = Imm z.
  Proof. destruct d; cbn; try discriminate. destruct o; try discriminate. now intros [= ->]. Qed.

  Lemma move_right o z m m' v s f g :
    stack_offset m = Some o -> move_stack c z (with_flags None None m) = Some m' -> sim v m s ->
    stands_for m m' v (Some (set RSP ((place c start Stack + z) mod radix) (flags f g s))).
  Proof.
    intros O H S.
    destruct (move_stack_right _ _ _ _ _ (flags f g s) _ _ H
      (simulates_flags _ _ _ _ _ _ None None f g S I I)) as [Q S2].
    eapply stands_same; eauto.
  Qed.

  Lemma sum_stack_right z m m' v s o : stack_offset m = Some o ->
    move_stack c (o + z) (with_flags None None m) = Some m' -> sim v m s ->
    stands_for m m' v (execute (Sum Add RSP (Imm z)) s).
  Proof.
    intros O H S. pose proof (stack_offset_right _ _ _ _ _ _ _ S O) as P.
    cbn [execute carry_in carry_out operand access Z.b2z]. rewrite P.
    rewrite Z.add_0_r.
    rewrite <- Z.add_mod by discriminate. rewrite <- Z.add_assoc.
    eapply move_right; eauto.
  Qed.

  Lemma difference_stack_right z m m' v s o : stack_offset m = Some o ->
    move_stack c (o - z) (with_flags None None m) = Some m' -> sim v m s ->
    stands_for m m' v (execute (Difference Sub RSP (Imm z)) s).
  Proof.
    intros O H S. pose proof (stack_offset_right _ _ _ _ _ _ _ S O) as P.
    cbn [execute operand access Z.b2z]. rewrite P. rewrite Z.sub_0_r.
    rewrite <- Zminus_mod. replace (place c start Stack + o - z)
      with (place c start Stack + (o - z)) by lia.
    eapply move_right; eauto.
  Qed.
End Kernel.
