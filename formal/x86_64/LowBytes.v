(** A flag in the lowest byte of a register, as LLVM keeps it. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation Sums.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Sums.stands_for c code start).
  Notation finish_only := (Sums.finish_only c code start).
  Notation stands_same := (Sums.stands_same c code start).

  Lemma byte_bit q f k : 0 <= k <= 7 ->
    (q * 256 + Z.b2z f) / 2 ^ k mod 2 = if k =? 0 then Z.b2z f else 0.
  Proof.
    intros K.
    assert (k = 0 \/ k = 1 \/ k = 2 \/ k = 3 \/ k = 4 \/ k = 5 \/ k = 6 \/ k = 7) as C by lia.
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

  Lemma is_at_most_right h s v k A : is_at_most h k s = true -> good s v ->
    denotes c start s v k A -> A <= h.
  Proof.
    intros M G D. destruct k as [w|?|?|?]; try discriminate M. cbn [is_at_most] in M.
    destruct (most s _) as [u|] eqn:U; [|discriminate M]. apply Z.leb_le in M.
    enough (A <= u) by lia. refine (most_value _ _ _ _ _ G _ U).
    intros x X. rewrite value_word. exact (D x X).
  Qed.

  Lemma flag_of_right s v k w A : flag_of k s = Some w -> good s v -> is_word A ->
    denotes c start s v k A -> exists f, A mod 256 = Z.b2z f /\ means s v w (Z.b2z f).
  Proof.
    intros F GS W D. destruct k as [u|?|?|[|[k0 flag] l]]; try discriminate F.
    { unfold flag_of in F. destruct (is_at_most 1 _ s) eqn:M; [|discriminate F].
      injection F as ->. pose proof (is_at_most_right _ _ _ _ _ M GS D) as B. unfold is_word in W.
      exists (A =? 1). assert (Z.b2z (A =? 1) = A) as ->.
      { destruct (Z.eqb_spec A 1); cbn; lia. }
      split; [apply Z.mod_small; lia | exact D]. }
    cbn [flag_of] in F.
    destruct ((k0 =? 0) && _) eqn:G; [|discriminate F]. injection F as ->.
    apply andb_prop in G as [K G]. apply Z.eqb_eq in K. subst k0. rewrite forallb_forall in G.
    assert (Z.b2z (A mod 2 =? 1) = A mod 2) as B.
    { pose proof (Z.mod_pos_bound A 2 ltac:(lia)). destruct (Z.eqb_spec (A mod 2) 1); cbn; lia. }
    exists (A mod 2 =? 1). rewrite B. split.
    - apply byte_value. intros k K. specialize (G k K).
      apply existsb_exists in G as ((j & u) & I & G). cbn [fst snd] in G. apply andb_prop in G as [J U]. apply Z.eqb_eq in J. subst j.
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
    destruct (is_at_most 255 _ _) eqn:M.
    { pose proof (is_at_most_right _ _ _ _ _ M (good_sys _ _ _ _ _ _ S)
        (file_right _ _ _ _ _ _ S d)) as B.
      unbind H. destruct p as [u s1].
      assert (is_word (Z.b2z f)) as WF by (destruct f; cbn [Z.b2z]; split; (lia || reflexivity)).
      destruct (define_word_right _ _ v (Z.b2z f) _ _ E0 (good_sys _ _ _ _ _ _ S))
        as (v1 & X1 & G1 & M1); [intros x X; rewrite value_word; exact (MF x X) | exact WF |].
      replace (registers s d / 256 * 256 + Z.b2z f) with (Z.b2z f)
        by (rewrite Z.div_small by lia; lia).
      eapply finish_only; eauto. }
    destruct (put_right c code start v _ s _ (Flags (byte_of w))
      (registers s d / 256 * 256 + Z.b2z f) _ H S) as [Q S2].
    - intros k u [[= <- <-]|I]; [now rewrite byte_bit by lia|].
      apply in_map_iff in I as (j & [= <- <-] & J). rewrite byte_bit by (cbn in J; lia).
      replace (j =? 0) with false by (cbn in J; lia). apply means_const.
    - unfold is_word, radix. destruct f; cbn [Z.b2z]; Z.to_euclidean_division_equations; lia.
    - eapply stands_same; [exact Q | exact S2 | reflexivity].
  Qed.

  Lemma bit_at_right l k b s v A : bit_at l k = Some b -> denotes c start s v (Flags l) A ->
    A / 2 ^ k mod 2 = b.
  Proof.
    intros B D. unfold bit_at in B.
    destruct (List.find _ l) as [[j w]|] eqn:F; [|discriminate B].
    apply find_some in F as [I J]. cbn [fst] in J. apply Z.eqb_eq in J. subst j.
    destruct w as [b'|?|?]; try discriminate B. injection B as ->.
    symmetry. exact (always_now _ _ _ (D k (Const b) I)).
  Qed.

  Lemma number_of_right l s v A n : forall k z, 0 <= k -> number_of l k n = Some z ->
    denotes c start s v (Flags l) A -> A / 2 ^ k mod 2 ^ Z.of_nat n = z.
  Proof.
    induction n as [|n IH]; intros k z K N D; cbn [number_of] in N.
    { injection N as <-. apply Z.mod_1_r. }
    unbind N. unbind N. injection N as <-.
    rewrite <- (bit_at_right _ _ _ _ _ _ E D), <- (IH (k + 1) _ ltac:(lia) E0 D).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    rewrite Z.rem_mul_r by (try apply Z.pow_pos_nonneg; lia).
    rewrite Z.div_div by (try apply Z.pow_nonzero; lia).
    now rewrite Z.pow_add_r by lia.
  Qed.

  Lemma byte_number_right k z s v A : byte_number k = Some z -> denotes c start s v k A ->
    A mod 256 = z.
  Proof.
    intros N D. destruct k as [[e|?|?]|?|?|l]; try discriminate N.
    - injection N as <-. apply always_now in D. cbn [word_value] in D. now rewrite D.
    - cbn [byte_number] in N. apply (number_of_right _ _ _ _ 8 0 _ ltac:(lia) N) in D.
      now rewrite Z.pow_0_r, Z.div_1_r in D.
  Qed.

  Lemma mov_byte_right d z m m' v s : step c code (MovByte d z) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (MovByte d z) s).
  Proof.
    intros H S. cbn [step] in H. cbn [execute].
    pose proof (file_words _ _ _ _ _ _ S d) as W. unfold is_word, radix in W.
    pose proof (file_right _ _ _ _ _ _ S d) as D.
    pose proof (Z.mod_pos_bound z 256 ltac:(lia)) as B. set (b := z mod 256) in *.
    set (total := registers s d / 256 * 256 + b) in *.
    assert (is_word total) as T.
    { subst total. unfold is_word, radix. Z.to_euclidean_division_equations; lia. }
    assert (forall k, 0 <= k <= 7 -> total / 2 ^ k mod 2 = b / 2 ^ k mod 2) as BITS.
    { intros k K. subst total.
      assert (2 ^ (7 - k) * 2 * 2 ^ k = 256) as E.
      { assert (k = 0 \/ k = 1 \/ k = 2 \/ k = 3 \/ k = 4 \/ k = 5 \/ k = 6 \/ k = 7) as C by lia.
        repeat destruct C as [->|C]; [..|subst k]; reflexivity. }
      replace (registers s d / 256 * 256) with (registers s d / 256 * 2 ^ (7 - k) * 2 * 2 ^ k)
        by (rewrite <- E; ring).
      rewrite Z.div_add_l by (apply Z.pow_nonzero; lia). rewrite Z.add_comm. apply Z.mod_add. lia. }
    assert (denotes c start (sys m) v (Flags (bits_of b)) total) as DB.
    { intros k u I. apply in_map_iff in I as (j & [= <- <-] & J).
      rewrite <- (BITS j) by (cbn in J; lia). apply means_const. }
    assert (put d (Flags (bits_of b)) m = Some m' ->
      stands_for m m' v (Some (set d total s))) as REST.
    { intros P. destruct (put_right c code start v _ s _ _ total _ P S DB T) as [Q S2].
      eapply stands_same; [exact Q | exact S2 | reflexivity]. }
    destruct (file m d) as [[e|?|?]|?|?|?]; try exact (REST H).
    destruct (put_right c code start v _ s _ (Known (Const (e / 256 * 256 + b))) total _ H S)
      as [Q S2].
    - apply always_now in D. cbn [word_value] in D. subst total. rewrite D. apply means_const.
    - exact T.
    - eapply stands_same; [exact Q | exact S2 | reflexivity].
  Qed.

  Lemma add_byte_right d z m m' v s : step c code (AddByte d z) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (AddByte d z) s).
  Proof.
    intros H S. cbn [step] in H.
    destruct (z mod 256 =? 255) eqn:K; [|discriminate]. apply Z.eqb_eq in K. cbn [guard bind] in H.
    unbind H. destruct (flag_of_right _ v _ _ _ E (good_sys _ _ _ _ _ _ S)
      (file_words _ _ _ _ _ _ S d) (file_right _ _ _ _ _ _ S d)) as (f & B & M).
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
End Kernel.
