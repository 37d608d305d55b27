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

  (** ** A flag in the lowest byte *)

  Lemma byte_bit q f k : 0 <= k <= 7 ->
    (q * 256 + Z.b2z f) / 2 ^ k mod 2 = if k =? 0 then Z.b2z f else 0.
  Proof.
    intros K. assert (k = 0 \/ k = 1 \/ k = 2 \/ k = 3 \/ k = 4 \/ k = 5 \/ k = 6 \/ k = 7) as C by lia.
    repeat destruct C as [->|C]; [..|subst k];
      destruct f; cbn; Z.to_euclidean_division_equations; lia.
  Qed.

  Lemma byte_value A : (forall k, In k [1; 2; 3; 4; 5; 6; 7] -> A / 2 ^ k mod 2 = 0) ->
    A mod 256 = A mod 2.
  Proof.
    intros Z.
    pose proof (Z 1 ltac:(cbn; lia)) as Z1. pose proof (Z 2 ltac:(cbn; lia)) as Z2.
    pose proof (Z 3 ltac:(cbn; lia)) as Z3. pose proof (Z 4 ltac:(cbn; lia)) as Z4.
    pose proof (Z 5 ltac:(cbn; lia)) as Z5. pose proof (Z 6 ltac:(cbn; lia)) as Z6.
    pose proof (Z 7 ltac:(cbn; lia)) as Z7. clear Z.
    cbn in *. Z.to_euclidean_division_equations; lia.
  Qed.

  Lemma flag_of_right s v k w A : flag_of k = Some w -> denotes c start s v k A ->
    exists f, A mod 256 = Z.b2z f /\ means s v w (Z.b2z f).
  Proof.
    intros F D. destruct k as [|?|?|[|[k0 flag] l]]; try discriminate F. cbn [flag_of] in F.
    destruct ((k0 =? 0) && _) eqn:G; [|discriminate F]. injection F as ->.
    apply andb_prop in G as [K G]. apply Z.eqb_eq in K. subst k0. rewrite forallb_forall in G.
    assert (Z.b2z (A mod 2 =? 1) = A mod 2) as B.
    { pose proof (Z.mod_pos_bound A 2 ltac:(lia)). destruct (Z.eqb_spec (A mod 2) 1); cbn; lia. }
    exists (A mod 2 =? 1). rewrite B. split.
    - apply byte_value. intros k K. specialize (G k K). apply existsb_exists in G as ((j & u) & I & G).
      cbn [fst snd] in G. apply andb_prop in G as [J U]. apply Z.eqb_eq in J. subst j.
      apply word_eqb_eq in U. subst u.
      symmetry. exact (always_now _ _ _ (D k (Const 0) (or_intror I))).
    - pose proof (D 0 w (or_introl eq_refl)) as M. now rewrite Z.pow_0_r, Z.div_1_r in M.
  Qed.

  Lemma setb_right d m m' v s : step c code (Setb d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Setb d) s).
  Proof.
    intros H S. cbn [step] in H. unbind H.
    pose proof (cf_right _ _ _ _ _ _ S) as C. rewrite E in C. destruct C as (f & CF & MF).
    pose proof (file_words _ _ _ _ _ _ S d) as W. unfold is_word, radix in W.
    cbn [execute]. rewrite CF.
    destruct (put_right c code start v _ s _ (Flags (byte_of w))
      (registers s d / 256 * 256 + Z.b2z f) _ H S) as [Q S2].
    - intros k u [[= <- <-]|I]; [now rewrite byte_bit by lia|].
      apply in_map_iff in I as (j & [= <- <-] & J). rewrite byte_bit by (cbn in J; lia).
      replace (j =? 0) with false by (cbn in J; lia). apply means_const.
    - unfold is_word, radix. destruct f; cbn [Z.b2z]; Z.to_euclidean_division_equations; lia.
    - eapply stands_same; [exact Q | exact S2 | reflexivity].
  Qed.

  Lemma add_byte_right d z m m' v s : step c code (AddByte d z) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (AddByte d z) s).
  Proof.
    intros H S. cbn [step] in H.
    destruct (z mod 256 =? 255) eqn:K; [|discriminate]. apply Z.eqb_eq in K. cbn [guard bind] in H.
    unbind H. destruct (flag_of_right _ v _ _ _ E (file_right _ _ _ _ _ _ S d)) as (f & B & M).
    pose proof (file_words _ _ _ _ _ _ S d) as W. unfold is_word, radix in W.
    cbn [execute]. cbv zeta. rewrite K, B.
    replace (256 <=? Z.b2z f + 255) with f by (destruct f; reflexivity).
    destruct (put_right c code start v _ (flags (Some f) None s) _ (Flags [])
      (registers s d / 256 * 256 + (Z.b2z f + 255) mod 256) _ H) as [Q S2].
    - apply simulates_flags; [exact S | exists f; auto | exact I].
    - intros k u [].
    - unfold is_word, radix. destruct f; cbn [Z.b2z]; Z.to_euclidean_division_equations; lia.
    - eapply stands_same; [exact Q | exact S2 | reflexivity].
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
