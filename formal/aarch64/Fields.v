(** Fields of bits, products, choices and the flags as a word. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Options Polynomial System Arithmetic Bits Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Choices Halves Rows
  Calculations Symbolic Instructions Simulation Sums Logic.
Import ListNotations.
Open Scope Z_scope.

Lemma word_shifted_down A k : is_word A -> 0 <= k -> is_word (A / 2 ^ k).
Proof.
  unfold is_word. intros W K. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; nia.
Qed.

Lemma top_field A k : is_word A -> 0 <= k < 64 -> A / 2 ^ k mod 2 ^ (64 - k) = A / 2 ^ k.
Proof.
  intros [W0 W1] K. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  apply Z.mod_small. split; [apply Z.div_pos; lia|].
  apply Z.div_lt_upper_bound; [lia|]. rewrite <- Z.pow_add_r by lia.
  replace (k + (64 - k)) with 64 by lia. exact W1.
Qed.

Lemma mod_power_word A k : 0 <= k <= 64 -> is_word (A mod 2 ^ k).
Proof.
  intros K. assert (0 < 2 ^ k) as P by (apply Z.pow_pos_nonneg; lia).
  assert (2 ^ k <= radix) by (apply Z.pow_le_mono_r; lia).
  pose proof (Z.mod_pos_bound A _ P). unfold is_word. lia.
Qed.

Lemma field_moved_up A k : 0 < k < 64 ->
  A mod 2 ^ k * 2 ^ (64 - k) mod radix = A * 2 ^ (64 - k) mod radix.
Proof.
  intros K. assert (2 ^ k * 2 ^ (64 - k) = radix) as P.
  { rewrite <- Z.pow_add_r by lia. replace (k + (64 - k)) with 64 by lia. reflexivity. }
  rewrite (Z.mod_eq A) by (apply Z.pow_nonzero; lia).
  apply (mod_shift _ _ (- (A / 2 ^ k))). rewrite <- P. ring.
Qed.

Lemma spread_bit A : as_signed 1 (A mod 2 ^ 1) mod radix = (radix - 1) * (A mod 2).
Proof.
  change (2 ^ 1) with 2. pose proof (Z.mod_pos_bound A 2 eq_refl) as B.
  assert (A mod 2 = 0 \/ A mod 2 = 1) as [-> | ->] by lia; reflexivity.
Qed.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  Lemma finish_word m m' v v' s d p w A :
    put_word d p w m = Some m' -> sim v m s -> grows (wds m) v w v' -> worth w v' p A ->
    is_word A -> stands_for m m' v (Some (set d A s)).
  Proof.
    intros P S G W IA.
    eapply finish_only; [exact P | exact S | apply extends_refl | exact G | exact W | exact IA
      | reflexivity].
  Qed.

  Lemma keep_right n d z k m m' v s : step c code (Keep n d z k) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Keep n d z k) s).
  Proof.
    cbn [step]. unfold run_keep. intros D S. unbind D. unbind D. rename z0 into old.
    pose proof (worth_unique _ _ _ _ _ (word_of_right _ _ _ v m s d _ E S)
      (worth_number _ v _ _ E0)) as Q.
    cbn [execute]. rewrite Q. cbv zeta in *.
    set (new := old mod 2 ^ n - _ + _) in *. clearbody new.
    destruct (_ && _) eqn:B in D; [|discriminate D]. cbn [guard bind] in D.
    apply in_range_right in B.
    destruct (put_right _ _ _ v _ s _ _ new _ D S (means_const _ _ _) B) as [Q2 S2].
    eapply stands_same; [unfold sys; rewrite Q2; reflexivity | exact S2 | reflexivity].
  Qed.

  Lemma shifted_down_right first last p w r w' v A :
    ('(q, w) <- right_by first p w;
     if last =? 63 then Some (q, w) else low_bits (last - first + 1) q w) = Some (r, w') ->
    right w v -> worth w v p A -> is_word A -> 0 <= first < 64 -> first <= last ->
    exists v', grows w v w' v' /\ worth w' v' r (A / 2 ^ first mod 2 ^ (last - first + 1)).
  Proof.
    intros D RW W IA F L. unbind D. destruct p0 as [q w1].
    destruct (right_by_right _ _ _ _ _ _ _ E RW W IA) as (_ & v1 & G1 & W1).
    pose proof (word_shifted_down A first IA (proj1 F)) as ID.
    destruct (Z.eqb_spec last 63) as [->|N].
    - injection D as <- <-. exists v1. split; [exact G1|].
      replace (63 - first + 1) with (64 - first) by lia. rewrite top_field by assumption. exact W1.
    - destruct (low_bits_right _ _ _ _ _ _ _ D (proj2 G1) W1 ID) as (_ & v2 & G2 & W2).
      exists v2. split; [exact (grows_trans _ _ _ _ _ _ G1 G2) | exact W2].
  Qed.

  Lemma field_right signed d a first last m m' v s :
    step c code (Field signed d a first last) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Field signed d a first last) s).
  Proof.
    cbn [step]. unfold run_field. intros D S. unbind D.
    pose proof (word_of_right _ _ _ v m s a p E S) as W.
    pose proof (get_word _ _ _ v m s a S) as IA.
    pose proof (words_right _ _ _ _ _ _ S) as RW.
    destruct (_ && _) eqn:B in D; [|discriminate D]. cbn [guard bind] in D.
    apply andb_prop in B as [B B4]. apply andb_prop in B as [B B3]. apply in_range_right in B.
    apply Z.leb_le in B3. apply Z.ltb_lt in B4. cbv zeta in D. cbn [execute]. unfold field.
    destruct signed.
    - destruct (Z.eqb_spec last first) as [->|]; [|discriminate D]. cbn [guard bind] in D.
      unbind D. destruct p0 as [bit w].
      destruct (are_bits (known w) [bit]); [|discriminate D]. cbn [guard bind] in D.
      destruct (shifted_down_right _ _ _ _ _ _ v _ E0 RW W IA B ltac:(lia)) as (v' & G & V).
      replace (first - first + 1) with 1 in V |- * by lia. rewrite Z.leb_refl, spread_bit.
      eapply finish_word; [exact D | exact S | exact G | |].
      + intros u U. rewrite value_plus, (V u U). reflexivity.
      + pose proof (Z.mod_pos_bound (get s a / 2 ^ first) 2 eq_refl). unfold is_word.
        assert (get s a / 2 ^ first mod 2 = 0 \/ get s a / 2 ^ first mod 2 = 1) as [-> | ->] by lia;
          now split.
    - destruct (Z.leb_spec first last) as [L|L].
      + unbind D. destruct p0 as [q w].
        destruct (shifted_down_right _ _ _ _ _ _ v _ E0 RW W IA B L) as (v' & G & V).
        pose proof (mod_power_word (get s a / 2 ^ first) (last - first + 1) ltac:(lia)) as I.
        rewrite (Z.mod_small _ radix) by exact I.
        eapply finish_word; eauto.
      + destruct (Z.eqb_spec (last + 1) first) as [F|]; [|discriminate D]. cbn [guard bind] in D.
        unbind D. destruct p0 as [q w].
        destruct (left_by_right _ _ _ _ _ _ _ E0 RW W IA) as (_ & v' & G & V).
        rewrite F, field_moved_up by lia. replace (63 - last) with (64 - first) in V by lia.
        eapply finish_word; [exact D | exact S | exact G | exact V | apply mod_word].
  Qed.

  Lemma extract_right d high low k m m' v s : step c code (Extract d high low k) m = Some m' ->
    sim v m s -> stands_for m m' v (execute (Extract d high low k) s).
  Proof.
    cbn [step]. unfold run_extract. intros D S. unbind D.
    pose proof (word_of_right _ _ _ v m s low p E S) as WL.
    pose proof (get_word _ _ _ v m s low S) as IL. pose proof (get_word _ _ _ v m s high S) as IH.
    pose proof (words_right _ _ _ _ _ _ S) as RW. cbn [execute].
    destruct (Z.eqb_spec k 0) as [->|N].
    - replace (get s high * 2 ^ (64 - 0) mod radix) with 0
        by (symmetry; apply Z.mod_mul; discriminate).
      rewrite Z.pow_0_r, Z.div_1_r, Z.add_0_l.
      eapply finish_word; [exact D | exact S | now apply grows_refl | exact WL | exact IL].
    - unbind D. rename p0 into q. destruct (_ && _) eqn:K in D; [|discriminate D].
      cbn [guard bind] in D. apply andb_prop in K as [K1 K2]. apply Z.ltb_lt in K1, K2.
      pose proof (word_of_right _ _ _ v m s high q E0 S) as WH.
      unbind D. destruct p0 as [q1 w1]. unbind D. destruct p0 as [q2 w2]. unbind D.
      destruct p0 as [p1 w3]. unbind D. destruct p0 as [p2 w4]. unbind D. destruct p0 as [r w5].
      destruct (left_by_right _ _ _ _ _ _ _ E1 RW WH IH) as (_ & v1 & G1 & W1).
      destruct (single_right _ _ _ _ _ _ E2 (proj2 G1) W1 (mod_word _)) as (v2 & G2 & W2).
      pose proof (grows_trans _ _ _ _ _ _ G1 G2) as G12.
      destruct (right_by_right _ _ _ _ _ _ _ E3 (proj2 G12) (grows_worth _ _ _ _ _ _ G12 WL) IL)
        as (_ & v3 & G3 & W3).
      destruct (single_right _ _ _ _ _ _ E4 (proj2 G3) W3 (word_shifted_down _ k IL ltac:(lia)))
        as (v4 & G4 & W4).
      pose proof (grows_trans _ _ _ _ _ _ G3 G4) as G34.
      pose proof (worth_plus _ _ _ _ 1 _ _ (grows_worth _ _ _ _ _ _ G34 W2) W4) as WT.
      rewrite Z.mul_1_l in WT.
      pose proof (shifted_is_word _ _ (64 - k) IH IL ltac:(lia)) as IT.
      replace (64 - (64 - k)) with k in IT by lia.
      destruct (define_one_right _ _ _ _ _ _ E5 (proj2 G34) WT IT) as (v5 & G5 & W5).
      eapply finish_word; [exact D | exact S | | exact W5 | exact IT].
      exact (grows_trans _ _ _ _ _ _ (grows_trans _ _ _ _ _ _ G12 G34) G5).
  Qed.

  (** ** Products *)

  Lemma multiply_high_right d a b m m' v s : step c code (MultiplyHigh d a b) m = Some m' ->
    sim v m s -> stands_for m m' v (execute (MultiplyHigh d a b) s).
  Proof.
    cbn [step]. intros D S. unbind D. unbind D. rename p0 into q. unbind D.
    destruct p0 as [h w].
    pose proof (get_word _ _ _ v m s a S) as IA. pose proof (get_word _ _ _ v m s b S) as IB.
    destruct (high_half_right _ _ _ _ _ _ _ _ E1 (words_right _ _ _ _ _ _ S)
      (word_of_right _ _ _ v m s a p E S) (word_of_right _ _ _ v m s b q E0 S) IA IB)
      as (v' & G & W).
    eapply finish_word; [exact D | exact S | exact G | exact W | now apply halves_word].
  Qed.

  Lemma multiply_add_right n subtracts d a b e m m' v s :
    step c code (MultiplyAdd n subtracts d a b e) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (MultiplyAdd n subtracts d a b e) s).
  Proof.
    cbn [step]. unfold run_multiply. intros D S. unbind D. destruct p as [p ma]. unbind D.
    destruct p0 as [q mb]. unbind D. destruct p0 as [low w].
    destruct (sized_word_right _ _ _ _ _ _ _ _ _ _ E S) as (N & va & [XA SA] & WA).
    destruct (sized_word_right _ _ _ _ _ _ _ _ _ _ E0 SA) as (_ & vb & [XB SB] & WB).
    pose proof (always_extends _ _ _ _ _ XB WA) as WA2.
    pose proof (half_word _ _ (get_word _ _ _ v m s a S) N) as IA.
    pose proof (half_word _ _ (get_word _ _ _ v m s b S) N) as IB.
    pose proof (get_word _ _ _ v m s e S) as IE.
    eapply stands_after; [exact (extends_trans _ _ _ _ _ _ XA XB)|].
    destruct (low_half_right _ _ _ _ _ _ _ _ E1 (words_right _ _ _ _ _ _ SB) WA2 WB IA IB)
      as (v1 & G1 & W1).
    cbn [execute]. remember (get s a mod 2 ^ n) as x. remember (get s b mod 2 ^ n) as y.
    assert ((more <- word_of mb e; '(r, w0) <- combined more low [] (sign_of subtracts) w;
        put_word d r w0 mb) = Some m' \/
      e = None /\ subtracts = false /\ put_word d low w mb = Some m') as [D'|(-> & -> & D')]
      by (destruct e, subtracts; auto).
    - clear D. unbind D'. rename p0 into more. unbind D'. destruct p0 as [r w2].
      pose proof (word_of_right _ _ _ vb mb s e more E2 SB) as WE.
      destruct (combined_right _ _ _ _ _ _ _ _ _ _ 0 E3 (proj2 G1)
        (grows_worth _ _ _ _ _ _ G1 WE) W1 (fun u _ => eq_refl) IE (mod_word _) ltac:(now split)
        (sign_is _)) as (v2 & G2 & W2).
      replace ((get s e + sign_of subtracts * (x * y mod radix + 0)) mod radix)
        with ((if subtracts then get s e - x * y else get s e + x * y) mod radix) in W2.
      + eapply finish_word; [exact D' | exact SB | exact (grows_trans _ _ _ _ _ _ G1 G2) | exact W2
          | apply mod_word].
      + rewrite (Z.mod_eq (x * y)) by discriminate.
        apply (mod_shift _ _ (sign_of subtracts * (x * y / radix))).
        destruct subtracts; cbn [sign_of]; ring.
    - cbn [get]. rewrite Z.add_0_l.
      eapply finish_word; [exact D' | exact SB | exact G1 | exact W1 | apply mod_word].
  Qed.

  (** ** The flags as a word *)

  Lemma read_flags_right d m m' v s : step c code (ReadFlags d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (ReadFlags d) s).
  Proof.
    cbn [step]. intros D S.
    assert (denotes c start (sys m) v (Flags (flag_entry 30 (zf m) ++ flag_entry 29 (cf m)))
      (flags_number (flags s))) as V.
    { intros k w I. apply in_app_or in I as [I|I].
      - pose proof (zf_right _ _ _ _ _ _ S) as F. destruct (zf m) as [p|]; [|destruct I].
        destruct I as [[= <- <-]|[]].
        replace (flags_number (flags s) / 2 ^ 30 mod 2) with (Z.b2z (zero (flags s)))
          by (destruct (flags s) as [[] [] [] []]; reflexivity).
        exact (worth_as_word _ _ _ _ F).
      - pose proof (cf_right _ _ _ _ _ _ S) as F. destruct (cf m) as [p|]; [|destruct I].
        destruct I as [[= <- <-]|[]].
        replace (flags_number (flags s) / 2 ^ 29 mod 2) with (Z.b2z (carry (flags s)))
          by (destruct (flags s) as [[] [] [] []]; reflexivity).
        exact (worth_as_word _ _ _ _ F). }
    destruct (put_right _ _ _ _ _ _ _ _ _ _ D S V) as [Q S2].
    { destruct (flags s) as [[] [] [] []]; now split. }
    eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S2 | reflexivity].
  Qed.

  Lemma flag_at_right k l w v A :
    (forall j u, In (j, u) l -> means (known w) v u (A / 2 ^ j mod 2)) ->
    flag_means w v (flag_at k l) (bit_of A k).
  Proof.
    intros H. induction l as [|[j u] l IH]; cbn [flag_at]; [exact I|].
    destruct (Z.eqb_spec j k) as [->|].
    - cbn [flag_means]. pose proof (worth_of_word _ _ _ _ (H k u (or_introl eq_refl))) as W.
      unfold bit_of. pose proof (Z.mod_pos_bound (A / 2 ^ k) 2 eq_refl).
      assert (A / 2 ^ k mod 2 = 0 \/ A / 2 ^ k mod 2 = 1) as [Q|Q] by lia;
        rewrite Q in *; exact W.
    - apply IH. intros i t I. apply H. now right.
  Qed.

  Lemma write_flags_right r m m' v s : step c code (WriteFlags r) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (WriteFlags r) s).
  Proof.
    cbn [step]. intros D S. pose proof (content_right _ _ _ v m s r S) as V.
    destruct (content_of m r) as [?|? ?|?|l]; [discriminate D..|]. injection D as <-.
    eapply stands_same; [reflexivity | | reflexivity].
    apply simulates_flags; [exact S | |]; cbn [zero carry]; now apply flag_at_right.
  Qed.
End Kernel.
