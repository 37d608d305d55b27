(** [and], [orr], [eor] and their kin. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Options Polynomial System Arithmetic Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Choices Halves Rows
  Calculations Symbolic Instructions Simulation Sums.
Import ListNotations.
Open Scope Z_scope.

Lemma word_ones A : is_word A <-> Z.land A (Z.ones 64) = A.
Proof.
  rewrite Z.land_ones by lia. change (2 ^ 64) with radix. split; intros W.
  - apply Z.mod_small. exact W.
  - rewrite <- W. apply mod_word.
Qed.

Lemma logic_word k A B : is_word A -> is_word B -> is_word (logic k A B).
Proof.
  rewrite !word_ones. intros WA WB. apply Z.bits_inj'. intros i I.
  apply (f_equal (fun z => Z.testbit z i)) in WA, WB. rewrite Z.land_spec in *.
  destruct k; cbn [logic]; rewrite ?Z.land_spec, ?Z.lor_spec, ?Z.lxor_spec;
    destruct (Z.testbit A i), (Z.testbit B i), (Z.testbit (Z.ones 64) i); auto.
Qed.

Lemma complement_word n B : n = 64 \/ n = 32 -> 0 <= B < 2 ^ n -> is_word (complement n B).
Proof.
  unfold complement, is_word. intros [-> | ->] W; change (2 ^ 64) with radix in *; [lia|].
  assert (2 ^ 32 < radix) by reflexivity. lia.
Qed.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  (** The second operand, as the processor has it. *)
  Definition inverts_to (n : Z) (inverts : bool) (B : Z) : Z :=
    if inverts then complement n B else B.

  Lemma worth_pair w v p q f A B : right w v -> are_bits (known w) [p; q] = true ->
    worth w v p A -> worth w v q B -> worth w v (tabulate [p; q] f) (f [A; B]).
  Proof.
    intros RW BB WA WB. exact (worth_bits w v [p; q] f [A; B] RW BB
      (Forall2_cons _ _ WA (Forall2_cons _ _ WB (Forall2_nil _)))).
  Qed.

  Ltac table2 D T :=
    match type of D with
    | Some (?q, _) = _ =>
        let x := fresh "q" in
        cbn [hd nth] in T; set (x := q) in *; clearbody x; injection D as <- <-
    end.

  Lemma bitwise_right n k inverts p q w r w' v A B :
    bitwise n k inverts p q w = Some (r, w') -> right w v -> are_bits (known w) [p; q] = true ->
    worth w v p A -> worth w v q B -> is_word A -> is_word B ->
    exists v', grows w v w' v' /\ worth w' v' r (logic k A (inverts_to n inverts B)).
  Proof.
    unfold bitwise, inverts_to. intros D RW BB WA WB IA IB.
    destruct k, inverts; try discriminate D; cbn [logic].
    - destruct (Z.eqb_spec n 64) as [->|]; [|discriminate D]. cbn [guard bind] in D.
      pose proof (worth_pair w v p q (fun l => Z.land (hd 0 l) (radix - 1 - nth 1 l 0)) A B RW BB WA
        WB) as T.
      table2 D T. exists v. split; [now apply grows_refl | exact T].
    - eapply both_right; eauto.
    - pose proof (worth_pair w v p q (fun l => Z.lor (hd 0 l) (nth 1 l 0)) A B RW BB WA WB) as T.
      table2 D T. exists v. split; [now apply grows_refl | exact T].
    - pose proof (worth_pair w v p q (fun l => Z.lxor (hd 0 l) (nth 1 l 0)) A B RW BB WA WB) as T.
      table2 D T. exists v. split; [now apply grows_refl | exact T].
  Qed.

  Lemma zero_of_bits_right p w v A : right w v -> worth w v p A ->
    flag_means w v (zero_of_bits p w) (A =? 0).
  Proof.
    unfold zero_of_bits. intros RW W. destruct (are_bits _ _) eqn:B; [|exact I].
    exact (worth_bit_word w v p (fun l => Z.b2z (hd 0 l =? 0)) A RW B W).
  Qed.

  Lemma run_bitwise_right n k inverts sets d p q m m' v s A B f :
    run_bitwise n k inverts sets d p q m = Some m' -> sim v m s ->
    worth (wds m) v p A -> worth (wds m) v q B -> is_word A -> is_word B ->
    is_word (inverts_to n inverts B) ->
    zero f = (logic k A (inverts_to n inverts B) =? 0) -> carry f = false ->
    stands_for m m' v (Some (set d (logic k A (inverts_to n inverts B))
      (if sets then set_flags f s else s))).
  Proof.
    unfold run_bitwise. intros D S WA WB IA IB II FZ FC. unbind D. destruct p0 as [r w].
    pose proof (words_right _ _ _ _ _ _ S) as RW.
    assert (exists v', grows (wds m) v w v' /\
      worth w v' r (logic k A (inverts_to n inverts B))) as (v' & G & W).
    { destruct (are_bits _ _) eqn:BB.
      - eapply bitwise_right; eauto.
      - destruct k, inverts; try discriminate E. eapply masked_right; eauto. }
    pose proof (logic_word k _ _ IA II) as IW.
    destruct sets.
    - eapply finish; [exact D | exact S | exact G | exact W | exact IW | | | reflexivity].
      + rewrite FZ. apply zero_of_bits_right; [apply G | exact W].
      + rewrite FC. intros u _. reflexivity.
    - eapply finish_only; [exact D | exact S | apply extends_refl | exact G | exact W | exact IW
        | reflexivity].
  Qed.

  Lemma move_right n (inverts : bool) d b m m' v s :
    ('(x, m1) <- read n b m;
     if inverts then
       _ <- guard (n =? 64); p <- as_polynomial x; '(q, w) <- inverted p (wds m1);
       put_word d q w m1
     else put d x m1) = Some m' -> sim v m s ->
    stands_for m m' v (Some (set d (inverts_to n inverts (operand n s b)) s)).
  Proof.
    intros D S. unbind D. destruct p as [x m1].
    destruct (read_right _ _ _ _ _ _ _ _ _ _ E S) as (N & IB & v1 & [X S1] & V).
    eapply stands_after; [exact X|]. destruct inverts; cbn [inverts_to].
    - destruct (Z.eqb_spec n 64) as [->|]; [|discriminate D]. cbn [guard bind] in D.
      unbind D. unbind D. destruct p0 as [q w].
      destruct (inverted_right _ _ _ _ _ _ E1 (words_right _ _ _ _ _ _ S1)
        (as_polynomial_right _ _ _ _ _ _ _ E0 V) IB) as (v2 & G & W).
      eapply finish_only; [exact D | exact S1 | apply extends_refl | exact G | exact W | |
        reflexivity].
      unfold is_word in *. lia.
    - destruct (put_right _ _ _ _ _ _ _ _ _ _ D S1 V IB) as [Q S2].
      eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S2 | reflexivity].
  Qed.

  Lemma operand_below n b m k m1 v s : read n b m = Some (k, m1) -> sim v m s ->
    0 <= operand n s b < 2 ^ n.
  Proof.
    intros D S. destruct (read_right _ _ _ _ _ _ _ _ _ _ D S) as (N & W & _).
    destruct N as [-> | ->]; [exact W|].
    unfold read in D. destruct (_ || _) in D; [|discriminate D]. cbn [guard bind] in D.
    destruct b as [z|r sh count|r]; cbn [operand].
    - apply Z.mod_pos_bound. reflexivity.
    - destruct sh; try discriminate D. cbn [shifted]. apply Z.mod_pos_bound. reflexivity.
    - discriminate D.
  Qed.

  Lemma logic_right n k inverts sets d a b m m' v s :
    step c code (Logic n k inverts sets d a b) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Logic n k inverts sets d a b) s).
  Proof.
    cbn [step]. intros D S.
    assert ((k = Or /\ a = None /\ sets = false /\
        ('(x, m1) <- read n b m;
         if inverts then
           _ <- guard (n =? 64); p <- as_polynomial x; '(q, w) <- inverted p (wds m1);
           put_word d q w m1
         else put d x m1) = Some m') \/
      ('(p, m1) <- sized_word n a m;
       '(q, m2) <- read_word n b m1;
       run_bitwise n k inverts sets d p q m2) = Some m') as [(-> & -> & -> & M)|D'].
    { unfold run_logic in D. destruct k; [right; exact D | | right; exact D].
      destruct a; [right; exact D|]. left. destruct sets; [discriminate D|]. auto. }
    - cbn [execute]. cbn [get]. rewrite Z.mod_0_l.
      2: { unbind M. destruct p as [x m1].
        destruct (read_right _ _ _ _ _ _ _ _ _ _ E S) as ([-> | ->] & _); discriminate. }
      cbn [logic]. rewrite Z.lor_0_l. exact (move_right _ _ _ _ _ _ _ _ M S).
    - clear D. unbind D'. destruct p as [p m1]. unbind D'. destruct p0 as [q m2].
      destruct (sized_word_right _ _ _ _ _ _ _ _ _ _ E S) as (N & v1 & [X1 S1] & WA).
      destruct (read_word_right _ _ _ _ _ _ _ _ _ _ E0 S1) as (IB & v2 & [X2 S2] & WB).
      pose proof (always_extends _ _ _ _ _ X2 WA) as WA2.
      eapply stands_after; [exact (extends_trans _ _ _ _ _ _ X1 X2)|].
      pose proof (half_word _ _ (get_word _ _ _ v m s a S) N) as IA.
      assert (is_word (inverts_to n inverts (operand n s b))) as II.
      { unfold inverts_to. destruct inverts; [|exact IB]. apply complement_word; [exact N|].
        unfold read_word in E0. unbind E0. destruct p0 as [x m3].
        eapply operand_below; eauto. }
      cbn [execute]. change (if inverts then complement n (operand n s b) else operand n s b)
        with (inverts_to n inverts (operand n s b)).
      eapply run_bitwise_right; [exact D' | exact S2 | exact WA2 | exact WB | exact IA | exact IB
        | exact II | reflexivity | reflexivity].
  Qed.
End Kernel.
