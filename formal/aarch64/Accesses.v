(** Accesses to memory, and moves of their bases. *)

From Coq Require Import ZArith Znumtheory List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression
  Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Symbolic Instructions
  Simulation.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation where_ := (place c start).
  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  Lemma load_from_right v m s a o k m' : load_from c code a o m = Some (k, m') -> sim v m s ->
    wds m' = wds m /\ (where_ a + o) mod radix = where_ a + o /\
    sim v m' (note (where_ a + o) 8 s) /\
    denotes c start (sys m) v k (load (memory s) (where_ a + o)) /\
    is_word (load (memory s) (where_ a + o)).
  Proof.
    unfold load_from. intros L S.
    destruct (is_inside c code a o 8) eqn:I; [|discriminate]. apply is_inside_right in I.
    cbn [guard bind] in L.
    assert (m' = with_access a o 8 m /\
      denotes c start (sys m) v k (load (memory s) (where_ a + o))) as [-> D].
    { destruct (is_area a Code) eqn:E; cbn [bind] in L.
      - apply is_area_eq in E as ->. injection L as <- <-. split; [reflexivity|].
        rewrite (constant_right _ _ _ R _ _ (frame _ _ _ _ _ _ S) I). apply means_const.
      - destruct (find a o (cells m)) as [q|] eqn:F; [|discriminate]. injection L as <- <-.
        split; [reflexivity|]. apply find_in in F. apply (cells_right _ _ _ _ _ _ S _ F). }
    split; [reflexivity|]. split; [apply (inside_no_wrap _ _ _ R _ _ 8 I); lia|].
    split; [now apply simulates_access|]. split; [exact D|].
    apply load_is_word, (bytes _ _ _ _ _ _ S).
  Qed.

  Lemma store_right v m s a o k A m' : store_to c code a o k m = Some m' -> sim v m s ->
    denotes c start (sys m) v k A -> is_word A ->
    (where_ a + o) mod radix = where_ a + o /\ wds m' = wds m /\
    sim v m' (write (where_ a + o) A s).
  Proof.
    unfold store_to. intros L S D W.
    destruct (_ && _) eqn:E in L; [|discriminate]. cbn [guard bind] in L.
    apply andb_prop in E as [E _].
    injection L as <-. destruct (may_write_right _ _ start _ _ E) as (I & _).
    split; [apply (inside_no_wrap _ _ _ R) with (n := 8); lia || assumption|].
    split; [reflexivity|].
    unfold write. apply (simulates_access _ _ _ v (with_cells _ m)
      (State (registers s) (flags s) (store (memory s) (where_ a + o) A) (here s)
        (trace s)) a o 8); [|exact I].
    destruct S. constructor; cbn [with_cells wds file cells zf cf pc seen registers memory flags
      here trace]; auto.
    - now apply (store_cells _ _ _ R).
    - now apply store_kept.
    - intros x. now apply store_byte.
  Qed.

  Lemma move_stack_right v m s o m' : move_stack c o m = Some m' -> sim v m s ->
    wds m' = wds m /\ sim v m' (set_register SP ((where_ Stack + o) mod radix) s).
  Proof.
    unfold move_stack. intros L S. destruct (guard _) as [[]|]; [|discriminate].
    cbn [bind] in L. injection L as <-. split; [reflexivity|].
    apply simulates_register.
    - apply simulates_cells; [exact S|]. intros x X. now apply filter_In in X.
    - reflexivity.
    - apply mod_word.
  Qed.

  Lemma point_right r a o v m s m' : point c r a o m = Some m' -> sim v m s ->
    wds m' = wds m /\ sim v m' (set_register r ((where_ a + o) mod radix) s).
  Proof.
    unfold point. intros P S. destruct (register_beq r SP) eqn:E.
    - apply internal_register_dec_bl in E as ->. destruct (is_area a Stack) eqn:A; [|discriminate].
      apply is_area_eq in A as ->. now apply move_stack_right.
    - destruct (put_right c code start v m s (Some r) _ ((where_ a + o) mod radix) _ P S eq_refl
        (mod_word _)) as [Q S']. auto.
  Qed.

  Lemma sp_aligned o : o mod 16 = 0 -> (where_ Stack + o) mod radix mod 16 = 0.
  Proof.
    intros O. pose proof (proj2 (entered_aligned _ _ _ R)) as A.
    rewrite <- Znumtheory.Zmod_div_mod; [|reflexivity | reflexivity | exists (2 ^ 60); reflexivity].
    change (where_ Stack) with (registers start SP). rewrite Z.add_mod by discriminate.
    rewrite A, O. reflexivity.
  Qed.

  (** What is done at the address is [f] of the symbolic machine and [g] of the processor. *)
  Lemma accessed_right a m f m' v s g : accessed c a m f = Some m' -> sim v m s ->
    (forall b o m1 m2 s1, f b o m1 = Some m2 -> wds m1 = wds m -> sim v m1 s1 ->
      wds m2 = wds m1 /\ sim v m2 (g ((where_ b + o) mod radix) s1)) ->
    stands_for m m' v (at_address a s g).
  Proof.
    unfold accessed, at_address. intros D S F.
    pose proof (file_right _ _ _ _ _ _ S (base a)) as B.
    destruct (file m (base a)) as [?|b from|?|?] eqn:FB; try discriminate D.
    destruct (_ || _) eqn:AL in D; [|discriminate D]. cbn [guard bind] in D.
    change (registers s (base a) = (where_ b + from) mod radix) in B.
    assert ((registers s (base a) + offset a) mod radix = (where_ b + (from + offset a)) mod radix)
      as T by (rewrite B, Z.add_mod_idemp_l by discriminate; f_equal; lia).
    assert (register_beq (base a) SP && negb (registers s (base a) mod 16 =? 0) = false) as ->.
    { destruct (register_beq (base a) SP); [|reflexivity]. cbn [negb orb andb] in *.
      apply andb_prop in AL as [A1 A2]. apply is_area_eq in A1 as ->. apply Z.eqb_eq in A2.
      rewrite B, (sp_aligned _ A2). reflexivity. }
    rewrite T. destruct (kind a).
    - destruct (F _ _ _ _ _ D eq_refl S) as [Q S1].
      eapply stands_same; [unfold sys; rewrite Q; reflexivity | exact S1 | reflexivity].
    - unbind D. destruct (point_right _ _ _ _ _ _ _ E S) as [Q1 S1].
      destruct (F _ _ _ _ _ D Q1 S1) as [Q2 S2].
      eapply stands_same; [unfold sys; rewrite Q2, Q1; reflexivity | exact S2 | reflexivity].
    - unbind D. destruct (F _ _ _ _ _ E eq_refl S) as [Q1 S1].
      destruct (point_right _ _ _ _ _ _ _ D S1) as [Q2 S2].
      eapply stands_same; [unfold sys; rewrite Q2, Q1; reflexivity | exact S2 |].
      rewrite B. reflexivity.
  Qed.

  (** ** Loads and stores *)

  Lemma load_right d a m m' v s : step c code (Load d a) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Load d a) s).
  Proof.
    intros H S. eapply accessed_right; [exact H | exact S|].
    intros b o m1 m2 s1 F _ S1. cbv beta in F. unbind F. destruct p as [k m3].
    destruct (load_from_right _ _ _ _ _ _ _ E S1) as (Q & N & S2 & D & W). rewrite N.
    destruct (put_right c code start v m3 _ d k _ _ F S2 ltac:(unfold sys; rewrite Q; exact D) W)
      as [Q2 S3].
    split; [congruence | exact S3].
  Qed.

  Lemma load_pair_right d e a m m' v s : step c code (LoadPair d e a) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (LoadPair d e a) s).
  Proof.
    intros H S. eapply accessed_right; [exact H | exact S|].
    intros b o m1 m2 s1 F _ S1. cbv beta in F. unbind F. destruct p as [k m3].
    unbind F. destruct p as [j m4]. unbind F. rename m0 into m5.
    destruct (load_from_right _ _ _ _ _ _ _ E S1) as (Q & N & S2 & D & W). rewrite N.
    destruct (load_from_right _ _ _ _ _ _ _ E0 S2) as (Q2 & N2 & S3 & D2 & W2).
    assert ((where_ b + o + 8) mod radix = where_ b + (o + 8)) as ->
      by (rewrite <- Z.add_assoc; exact N2).
    destruct (put_right c code start v m4 _ d k _ _ E1 S3
      ltac:(unfold sys; rewrite Q2, Q; exact D) W) as [Q3 S4].
    destruct (put_right c code start v m5 _ e j _ _ F S4
      ltac:(unfold sys in *; rewrite Q3, Q2; exact D2) W2) as [Q4 S5].
    split; [congruence | exact S5].
  Qed.

  Lemma store_one_right r a m m' v s : step c code (Store r a) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Store r a) s).
  Proof.
    intros H S. eapply accessed_right; [exact H | exact S|].
    intros b o m1 m2 s1 F Q S1. cbv beta in F.
    destruct (store_right _ _ _ _ _ _ (get s r) _ F S1) as (N & Q2 & S2).
    { unfold sys. rewrite Q. exact (content_right _ _ _ v m s r S). }
    { exact (get_word _ _ _ v m s r S). }
    rewrite N. auto.
  Qed.

  Lemma store_pair_right r q a m m' v s : step c code (StorePair r q a) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (StorePair r q a) s).
  Proof.
    intros H S. eapply accessed_right; [exact H | exact S|].
    intros b o m1 m2 s1 F Q S1. cbv beta in F. unbind F. rename m0 into m3.
    destruct (store_right _ _ _ _ _ _ (get s r) _ E S1) as (N & Q2 & S2).
    { unfold sys. rewrite Q. exact (content_right _ _ _ v m s r S). }
    { exact (get_word _ _ _ v m s r S). }
    destruct (store_right _ _ _ _ _ _ (get s q) _ F S2) as (N2 & Q3 & S3).
    { unfold sys. rewrite Q2, Q. exact (content_right _ _ _ v m s q S). }
    { exact (get_word _ _ _ v m s q S). }
    rewrite N.
    assert ((where_ b + o + 8) mod radix = where_ b + (o + 8)) as ->
      by (rewrite <- Z.add_assoc; exact N2).
    split; [congruence | exact S3].
  Qed.
End Kernel.
