(** Sums, differences and comparisons. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Options Polynomial System Arithmetic Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Choices Halves Rows
  Calculations Symbolic Instructions Simulation Accesses.
Import ListNotations.
Open Scope Z_scope.

Lemma mod_shift x y k : x = y + k * radix -> x mod radix = y mod radix.
Proof. intros ->. apply Z.mod_add. discriminate. Qed.

(** The borrow that a difference takes is 1 less the carry. *)
Definition taken (subtracts flag : bool) : Z := Z.b2z (xorb subtracts flag).

Definition second_term (subtracts : bool) (B : Z) : Z :=
  if subtracts then complement 64 B else B.

(** The sum that the processor makes, with the carry that it takes. *)
Definition raw (subtracts flag : bool) (A B : Z) : Z :=
  A + second_term subtracts B + Z.b2z flag.

Lemma raw_word subtracts flag A B :
  raw subtracts flag A B mod radix
  = (A + sign_of subtracts * (B + taken subtracts flag)) mod radix.
Proof.
  unfold raw, second_term, taken, complement, sign_of. change (2 ^ 64) with radix.
  destruct subtracts, flag; cbn [xorb Z.b2z].
  - apply (mod_shift _ _ 1). ring.
  - apply (mod_shift _ _ 1). ring.
  - apply (mod_shift _ _ 0). ring.
  - apply (mod_shift _ _ 0). ring.
Qed.

Lemma raw_carry subtracts flag A B : is_word A -> is_word B ->
  let sign := sign_of subtracts in
  let out := sign * ((A + sign * (B + taken subtracts flag)) / radix) in
  (if 0 <? sign then out else 1 - out) = Z.b2z (radix <=? raw subtracts flag A B).
Proof.
  unfold is_word. intros WA WB. cbv zeta.
  unfold raw, second_term, taken, complement, sign_of. change (2 ^ 64) with radix.
  pose proof radix_pos as P.
  destruct subtracts; cbn [Z.ltb Z.compare].
  - replace (1 - -1 * ((A + -1 * (B + Z.b2z (xorb true flag))) / radix))
      with (1 + (A + -1 * (B + Z.b2z (xorb true flag))) / radix) by ring.
    set (T := A + -1 * (B + Z.b2z (xorb true flag))).
    assert (A + (radix - 1 - B) + Z.b2z flag = T + radix) as ->
      by (unfold T; destruct flag; cbn [xorb Z.b2z]; ring).
    assert (- radix <= T < radix) as B2 by (unfold T; destruct flag; cbn [xorb Z.b2z]; lia).
    clearbody T. destruct (Z.leb_spec radix (T + radix)); cbn [Z.b2z].
    + rewrite Z.div_small; lia.
    + rewrite <- (Z.div_unique T radix (-1) (T + radix)); lia.
  - rewrite !Z.mul_1_l. set (T := A + (B + Z.b2z (xorb false flag))).
    assert (A + B + Z.b2z flag = T) as -> by (unfold T; destruct flag; cbn [xorb Z.b2z]; ring).
    assert (0 <= T < 2 * radix) as B2 by (unfold T; destruct flag; cbn [xorb Z.b2z]; lia).
    clearbody T. destruct (Z.leb_spec radix T); cbn [Z.b2z].
    + rewrite <- (Z.div_unique T radix 1 (T - radix)); lia.
    + rewrite Z.div_small; lia.
Qed.

Lemma taken_word subtracts flag : is_word (taken subtracts flag).
Proof. unfold taken. destruct (xorb subtracts flag); now split. Qed.

Lemma sign_is subtracts : sign_of subtracts = 1 \/ sign_of subtracts = -1.
Proof. destruct subtracts; auto. Qed.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  (** ** Flags that are read *)

  Lemma tested_right f set m b w v p : tested f set m = Some p -> w = wds m -> right w v ->
    flag_means w v f b -> worth w v p (Z.b2z (Bool.eqb b set)).
  Proof.
    unfold tested. intros T -> RW F. unbind T. destruct (are_bits _ _) eqn:B; [|discriminate T].
    cbn [guard bind] in T. injection T as <-. cbn [flag_means] in F.
    pose proof (worth_bit_word (wds m) v p0 (fun l => if set then hd 0 l else 1 - hd 0 l) _ RW B F)
      as W. destruct b, set; exact W.
  Qed.

  Definition flag_in (with_carry subtracts : bool) (s : state) : bool :=
    if with_carry then carry (flags s) else subtracts.

  Lemma carry_in_right with_carry subtracts m v s p :
    carry_in with_carry subtracts m = Some p -> sim v m s ->
    worth (wds m) v p (taken subtracts (flag_in with_carry subtracts s)).
  Proof.
    unfold carry_in, flag_in. intros H S. destruct with_carry.
    - pose proof (tested_right _ _ _ _ _ v _ H eq_refl (words_right _ _ _ _ _ _ S)
        (cf_right _ _ _ _ _ _ S)) as W.
      unfold taken. destruct (carry (flags s)), subtracts; exact W.
    - injection H as <-. unfold taken. rewrite xorb_nilpotent. intros u _. reflexivity.
  Qed.

  (** ** Flags that are set *)

  Lemma zero_of_right a b carry sign w z w' v A B C : zero_of a b carry sign w = Some (z, w') ->
    right w v -> worth w v a A -> worth w v b B -> worth w v carry C -> is_word A ->
    exists v', grows w v w' v' /\
      flag_means w' v' z ((A + sign * (B + C)) mod radix =? 0).
  Proof.
    unfold zero_of. intros D RW WA WB WC IA. destruct (are_bits _ _) eqn:BB.
    - pose proof (worth_bits w v [a; b; carry] (fun l => Z.b2z (total sign l =? 0)) [A; B; C] RW BB
        (Forall2_cons _ _ WA (Forall2_cons _ _ WB (Forall2_cons _ _ WC (Forall2_nil _))))) as W.
      set (q := tabulate _ _) in *. clearbody q. injection D as <- <-.
      exists v. split; [now apply grows_refl | exact W].
    - destruct (is_nothing b && is_nothing carry) eqn:N.
      + apply andb_prop in N as [N1 N2]. destruct b; [|discriminate N1].
        destruct carry; [|discriminate N2]. unbind D. destruct p as [z0 w1].
        injection D as <- <-.
        assert (B = 0) as -> by exact (worth_unique _ _ _ _ _ WB (fun u _ => eq_refl)).
        assert (C = 0) as -> by exact (worth_unique _ _ _ _ _ WC (fun u _ => eq_refl)).
        destruct (zero_flag_right _ _ _ _ _ _ E RW WA IA) as (v' & G & Z0).
        exists v'. split; [exact G|].
        replace (A + sign * (0 + 0)) with A by ring. rewrite Z.mod_small by exact IA. exact Z0.
      + injection D as <- <-. exists v. split; [now apply grows_refl | exact I].
  Qed.

  Lemma run_flags_right d a b carry subtracts flag m m' v s A B f :
    run_flags d a b carry (sign_of subtracts) m = Some m' -> sim v m s ->
    worth (wds m) v a A -> worth (wds m) v b B ->
    worth (wds m) v carry (taken subtracts flag) -> is_word A -> is_word B ->
    zero f = (raw subtracts flag A B mod radix =? 0) ->
    AArch64.carry f = (radix <=? raw subtracts flag A B) ->
    stands_for m m' v (Some (set d (raw subtracts flag A B mod radix) (set_flags f s))).
  Proof.
    unfold run_flags. intros D S WA WB WC IA IB FZ FC. unbind D. destruct p as [[p out] w1].
    unbind D. destruct p0 as [z w2].
    destruct (sum_row_right _ _ _ _ _ _ _ _ _ _ _ _ E (words_right _ _ _ _ _ _ S) WA WB WC IA IB
      (taken_word _ _) (sign_is _)) as (v1 & G1 & WP & WO).
    pose proof (fun q Q => grows_worth _ _ _ _ q Q G1) as K.
    destruct (zero_of_right _ _ _ _ _ _ _ _ _ _ _ E0 (proj2 G1) (K _ _ WA) (K _ _ WB)
      (K _ _ WC) IA)
      as (v2 & G2 & WZ).
    rewrite <- raw_word in *. rewrite <- FZ in WZ.
    eapply finish; [exact D | exact S | exact (grows_trans _ _ _ _ _ _ G1 G2)
      | exact (grows_worth _ _ _ _ _ _ G2 WP) | apply mod_word | exact WZ | | reflexivity].
    rewrite FC. cbn [flag_means]. rewrite <- raw_carry by assumption. unfold carry_flag.
    pose proof (grows_worth _ _ _ _ _ _ G2 WO) as WO2. cbv zeta in *.
    destruct (0 <? sign_of subtracts); [exact WO2|].
    pose proof (worth_plus _ _ _ _ (-1) _ _ (worth_constant w2 v2 1) WO2) as W.
    replace (1 - _) with (1 + -1 * (sign_of subtracts * ((A + sign_of subtracts *
      (B + taken subtracts flag)) / radix))) by ring. exact W.
  Qed.

  (** ** Comparisons with 1 *)

  Lemma opposite_sum A : is_word A -> A <> 0 -> radix <= A + 1 * ((-1 * A) mod radix + 0).
  Proof.
    unfold is_word. intros W N. rewrite (mod_shift _ (radix - A) (-1)) by ring.
    rewrite Z.mod_small by lia. lia.
  Qed.

  Lemma nonzero_flags_right a w z k w' v A : nonzero_flags a w = Some (Some (z, k), w') ->
    right w v -> worth w v a A -> is_word A ->
    exists v', grows w v w' v' /\ flag_means w' v' z ((A - 1) mod radix =? 0) /\
      worth w' v' k (Z.b2z (1 <=? A)).
  Proof.
    unfold nonzero_flags. intros D RW WA IA. destruct (are_bits _ _) eqn:B.
    - destruct (forallb _ _) eqn:F; [|discriminate D]. injection D as <- <- <-.
      rewrite forallb_forall in F. pose proof (F _ (values_have _ _ _ _ RW B WA)) as L.
      apply Z.leb_le in L. exists v. split; [now apply grows_refl|].
      assert (A = 0 \/ A = 1) as [-> | ->] by (unfold is_word in IA; lia); split; exact WA.
    - unbind D. destruct p as [found w1].
      assert (worth w v (plus [] (-1) a) (-1 * A)) as WN.
      { intros u U. rewrite value_plus, (WA u U). reflexivity. }
      destruct (congruent_right _ _ _ _ _ _ E RW WN) as (v1 & G1 & F).
      destruct found as [opposite|]; [|discriminate D]. specialize (F _ eq_refl).
      unbind D. destruct p as [[r out] w2]. injection D as <- <- <-.
      destruct (sum_row_right _ _ _ _ _ _ _ _ _ A _ 0 E0 (proj2 G1) (grows_worth _ _ _ _ _ _ G1 WA)
        F (fun u _ => eq_refl) IA (mod_word _) ltac:(now split) ltac:(auto)) as (v2 & G2 & _ & WO).
      exists v2. split; [exact (grows_trans _ _ _ _ _ _ G1 G2)|]. split; [exact I|].
      cbv zeta in WO. rewrite Z.mul_1_l in WO.
      replace (Z.b2z (1 <=? A)) with ((A + 1 * ((-1 * A) mod radix + 0)) / radix); [exact WO|].
      destruct (Z.eq_dec A 0) as [->|N]; [reflexivity|].
      pose proof (opposite_sum A IA N) as L.
      pose proof (Z.mod_pos_bound (-1 * A) radix eq_refl) as M. unfold is_word in IA.
      destruct (Z.leb_spec 1 A); [|lia]. cbn [Z.b2z].
      set (t := (-1 * A) mod radix) in *. clearbody t.
      symmetry. apply Z.div_unique with (r := A + 1 * (t + 0) - radix); lia.
  Qed.

  Lemma nonzero_grows a w w' v A : nonzero_flags a w = Some (None, w') -> right w v ->
    worth w v a A -> exists v', grows w v w' v'.
  Proof.
    unfold nonzero_flags. intros D RW WA. destruct (are_bits _ _).
    - destruct (forallb _ _); [discriminate D|]. injection D as <-. exists v.
      now apply grows_refl.
    - unbind D. destruct p as [found w1].
      assert (worth w v (plus [] (-1) a) (-1 * A)) as WN.
      { intros u U. rewrite value_plus, (WA u U). reflexivity. }
      destruct (congruent_right _ _ _ _ _ _ E RW WN) as (v1 & G1 & F).
      destruct found.
      + unbind D. destruct p0 as [[? ?] ?]. discriminate D.
      + injection D as <-. eauto.
  Qed.

  Lemma run_compare_right a m m' v s A f : run_compare a m = Some m' -> sim v m s ->
    worth (wds m) v a A -> is_word A ->
    zero f = (raw true true A 1 mod radix =? 0) ->
    carry f = (radix <=? raw true true A 1) ->
    stands_for m m' v (Some (set_flags f s)).
  Proof.
    unfold run_compare. intros D S WA IA FZ FC. unbind D. destruct p as [found w].
    pose proof (words_right _ _ _ _ _ _ S) as RW.
    destruct found as [[z k]|].
    - injection D as <-. destruct (nonzero_flags_right _ _ _ _ _ _ _ E RW WA IA)
        as (v' & G & Z0 & K).
      exists (set_flags f s), v'. split; [reflexivity|]. split; [|apply G].
      apply simulates_flags; [exact (simulates_words _ _ _ _ _ _ _ _ S G) | |].
      + rewrite FZ, raw_word. unfold sign_of, taken. cbn [xorb Z.b2z].
        replace (A + -1 * (1 + 0)) with (A - 1) by ring. exact Z0.
      + rewrite FC. unfold raw, second_term, complement. change (2 ^ 64) with radix.
        cbn [Z.b2z flag_means].
        replace (radix <=? A + (radix - 1 - 1) + 1) with (1 <=? A); [exact K|].
        destruct (Z.leb_spec 1 A), (Z.leb_spec radix (A + (radix - 1 - 1) + 1));
          lia || reflexivity.
    - destruct (nonzero_grows _ _ _ _ _ E RW WA) as (v1 & G).
      eapply stands_after with (m1 := with_words w m) (v1 := v1); [apply G|].
      exact (run_flags_right None a (constant 1) [] true true _ m' v1 s A 1 f D
        (simulates_words _ _ _ _ _ _ _ _ S G) (grows_worth _ _ _ _ _ _ G WA)
        (worth_constant _ _ _) (fun u _ => eq_refl) IA ltac:(now split) FZ FC).
  Qed.

  (** ** Sums of addresses *)

  Lemma move_pointer_right subtracts d a from b m m' v s r :
    move_pointer c subtracts d a from b m = Some m' -> sim v m s ->
    get s r = (place c start a + from) mod radix ->
    stands_for m m' v
      (Some (set d (raw subtracts subtracts (get s r) (operand 64 s b) mod radix) s)).
  Proof.
    unfold move_pointer. intros D S P. unbind D. destruct p as [p m1]. unbind D. rename z into k.
    destruct (read_word_right _ _ _ _ _ _ _ _ _ _ E S) as (WB & v1 & [X S1] & W).
    pose proof (worth_unique _ _ _ _ _ W (worth_number _ v1 _ _ E0)) as ->.
    eapply stands_after; [exact X|]. rewrite raw_word. unfold taken. rewrite xorb_nilpotent.
    cbn [Z.b2z]. rewrite Z.add_0_r.
    set (amount := if k <? radix / 2 then k else k - radix) in *.
    assert (exists e, k = amount + e * radix) as (e & KE).
    { unfold amount. destruct (k <? radix / 2); [exists 0 | exists 1]; ring. }
    clearbody amount. destruct d as [q|].
    - destruct (point_right _ _ _ _ _ _ _ _ _ _ D S1) as [Q S2].
      eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S2 |].
      cbn [set]. do 2 f_equal. rewrite P, KE, (Z.mod_eq (place c start a + from)) by discriminate.
      apply (mod_shift _ _ (sign_of subtracts * e - (place c start a + from) / radix)). ring.
    - injection D as <-. eapply stands_same; [reflexivity | exact S1 | reflexivity].
  Qed.

  Lemma sum_right n subtracts with_carry sets d a b m m' v s :
    step c code (Sum n subtracts with_carry sets d a b) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Sum n subtracts with_carry sets d a b) s).
  Proof.
    cbn [step]. intros D S. destruct (Z.eqb_spec n 64) as [->|]; [|discriminate D].
    cbn [guard bind] in D. cbn [execute]. change (2 ^ 64) with radix.
    pose proof (get_word _ _ _ v m s a S) as IA. rewrite (Z.mod_small (get s a)) by exact IA.
    change (if with_carry then carry (flags s) else subtracts)
      with (flag_in with_carry subtracts s).
    change (if subtracts then complement 64 (operand 64 s b) else operand 64 s b)
      with (second_term subtracts (operand 64 s b)).
    change (get s a + second_term subtracts (operand 64 s b)
      + Z.b2z (flag_in with_carry subtracts s))
      with (raw subtracts (flag_in with_carry subtracts s) (get s a) (operand 64 s b)).
    set (f := sum_flags 64 (get s a) (second_term subtracts (operand 64 s b))
      (Z.b2z (flag_in with_carry subtracts s))).
    assert (zero f = (raw subtracts (flag_in with_carry subtracts s) (get s a) (operand 64 s b)
      mod radix =? 0)) as FZ by reflexivity.
    assert (carry f = (radix <=? raw subtracts (flag_in with_carry subtracts s) (get s a)
      (operand 64 s b))) as FC by reflexivity.
    clearbody f. unfold run_sum in D.
    assert ((exists base from, content_of m a = Pointer base from /\ with_carry || sets = false /\
        move_pointer c subtracts d base from b m = Some m') \/
      (carry <- carry_in with_carry subtracts m;
       p <- word_of m a;
       '(q, m1) <- read_word 64 b m;
       let sign := sign_of subtracts in
       if negb sets then
         '(r, w) <- combined p q carry sign (wds m1); put_word d r w m1
       else if subtracts && negb with_carry && is_one q &&
               match d with None => true | Some _ => false end then run_compare p m1
       else run_flags d p q carry sign m1) = Some m') as [(base & from & K & F & MP)|D'].
    { destruct (content_of m a); [right; exact D | | right; exact D..].
      destruct (with_carry || sets) eqn:WS; [right; exact D | left; eauto]. }
    - apply orb_false_elim in F as [-> ->]. unfold flag_in.
      eapply move_pointer_right; [exact MP | exact S|].
      pose proof (content_right _ _ _ v m s a S) as P. rewrite K in P. exact P.
    - clear D. unbind D'. rename p into k. unbind D'. unbind D'. destruct p0 as [q m1].
      destruct (read_word_right _ _ _ _ _ _ _ _ _ _ E1 S) as (IB & v1 & [X S1] & WB).
      pose proof (always_extends _ _ _ _ _ X (carry_in_right _ _ _ _ _ _ E S)) as WC.
      pose proof (always_extends _ _ _ _ _ X (word_of_right _ _ _ v m s a p E0 S)) as WA.
      eapply stands_after; [exact X|]. cbv zeta in D'. destruct sets; cbn [negb] in D'.
      + destruct (_ && _) eqn:CMP in D';
          [|exact (run_flags_right d p q k _ _ m1 m' v1 s _ _ f D' S1 WA WB WC IA IB FZ FC)].
        destruct d; [rewrite andb_false_r in CMP; discriminate CMP|].
        rewrite andb_true_r in CMP. apply andb_prop in CMP as [CMP ONE].
        apply andb_prop in CMP as [-> NC]. apply negb_true_iff in NC. subst with_carry.
        unfold is_one in ONE. destruct (as_number q) as [o|] eqn:AN; [|discriminate ONE].
        apply Z.eqb_eq in ONE. subst o.
        pose proof (worth_unique _ _ _ _ _ WB (worth_number _ v1 _ _ AN)) as B1.
        rewrite B1 in FZ, FC. rewrite B1.
        exact (run_compare_right p m1 m' v1 s _ f D' S1 WA IA FZ FC).
      + unbind D'. destruct p0 as [r w].
        destruct (combined_right _ _ _ _ _ _ _ _ _ _ _ E2 (words_right _ _ _ _ _ _ S1) WA WB WC IA
          IB (taken_word _ _) (sign_is _)) as (v2 & G & W).
        rewrite <- raw_word in W.
        eapply finish_only; [exact D' | exact S1 | apply extends_refl | exact G | exact W
          | apply mod_word | reflexivity].
  Qed.
End Kernel.
