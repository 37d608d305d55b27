(** Each symbolic step stands for the processor's: what the symbolic machine says of registers,
    flags and memory stays true. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation where_ := (place c start).
  Notation denotes := (denotes c start).
  Notation cell_right := (cell_right c code start).

  Definition flag_means (s : system) (v : valuation) (f : option word) (b : option bool) : Prop :=
    match f with
    | None => True
    | Some w => exists x, b = Some x /\ means s v w (Z.b2z x)
    end.

  Record simulates (v : valuation) (m : machine) (s : state) : Prop := {
    good_sys : good (sys m) v;
    file_right : forall r, denotes (sys m) v (file m r) (registers s r);
    file_words : forall r, is_word (registers s r);
    cells_right : forall cell, In cell (cells m) -> cell_right (sys m) v (memory s) cell;
    frame : forall a, ~ writable c code start a -> memory s a = memory start a;
    bytes : forall a, 0 <= memory s a < 256;
    cf_right : flag_means (sys m) v (cf m) (carry s);
    of_right : flag_means (sys m) v (of m) (overflow s);
    here_right : here s = where_ Code + pc m;
    trace_right : trace s = map (access_at c start) (seen m) ++ trace start;
    seen_right : forall a o n, In (a, o, n) (seen m) -> inside c code a o n
  }.

  Lemma flag_extends s v s' v' f b :
    extends s v s' v' -> flag_means s v f b -> flag_means s' v' f b.
  Proof.
    destruct f as [w|]; cbn; [|auto]. intros E (x & X & M). exists x. eauto using means_extends.
  Qed.

  Lemma simulates_sys v m s s' v' : simulates v m s -> extends (sys m) v s' v' -> good s' v' ->
    simulates v' (with_sys s' m) s.
  Proof.
    intros S E G. destruct S. constructor; cbn [with_sys sys file cells cf of pc seen]; auto.
    - intros r. eapply denotes_extends; eauto.
    - intros [[a o] k] I. destruct (cells_right0 _ I) as (H1 & H2 & H3).
      repeat split; try apply H1; auto. eapply denotes_extends; eauto.
    - eapply flag_extends; eauto.
    - eapply flag_extends; eauto.
  Qed.

  Lemma simulates_register v m s r k A : simulates v m s -> denotes (sys m) v k A -> is_word A ->
    simulates v (with_register r k m) (set r A s).
  Proof.
    intros S D W. destruct S.
    constructor; cbn [with_register set sys file cells cf of pc seen registers memory carry overflow
      here trace]; auto; intros q; destruct (register_beq q r); auto.
  Qed.

  Lemma simulates_flags v m s f g b d : simulates v m s ->
    flag_means (sys m) v f b -> flag_means (sys m) v g d ->
    simulates v (with_flags f g m) (flags b d s).
  Proof. intros S F G. destruct S. constructor; auto. Qed.

  Lemma simulates_access v m s a o n : simulates v m s -> inside c code a o n ->
    simulates v (with_access a o n m) (note (where_ a + o) n s).
  Proof.
    intros S I. destruct S. constructor; auto.
    - cbn [with_access note trace seen map app]. rewrite trace_right0. reflexivity.
    - intros b p q [[= <- <- <-]|H]; auto.
  Qed.

  Lemma simulates_cells v m s l : simulates v m s -> (forall x, In x l -> In x (cells m)) ->
    simulates v (with_cells l m) s.
  Proof. intros S I. destruct S. constructor; auto. Qed.

  (** ** Addresses *)

  Lemma address_right v m s a b o : simulates v m s -> address_of m a = Some (b, o) ->
    effective s a = (where_ b + o) mod radix.
  Proof.
    intros S A. destruct a as [r d|d]; cbn [address_of effective] in *.
    - pose proof (file_right _ _ _ S r) as F. destruct (file m r) as [w|b' o'|?|l]; try discriminate.
      injection A as <- <-. cbn [denotes] in F. rewrite F.
      rewrite Z.add_mod_idemp_l by (unfold radix; lia). f_equal. lia.
    - injection A as <- <-. rewrite (here_right _ _ _ S). f_equal. lia.
  Qed.

  (** ** Reads *)

  Lemma load_from_right v m s a o k m' : load_from c code a o m = Some (k, m') ->
    simulates v m s ->
    m' = with_access a o 8 m /\ inside c code a o 8 /\
    denotes (sys m) v k (load (memory s) (where_ a + o)).
  Proof.
    unfold load_from. intros L S.
    destruct (is_inside c code a o 8) eqn:I; [|discriminate]. apply is_inside_right in I.
    cbn [guard bind] in L. destruct (is_area a Code) eqn:E; cbn [bind] in L.
    - apply is_area_eq in E as ->. injection L as <- <-. split; [reflexivity|]. split; [exact I|].
      cbn [denotes]. rewrite (constant_right _ _ _ R _ _ (frame _ _ _ S) I). apply means_const.
    - destruct (find a o (cells m)) as [q|] eqn:F; [|discriminate]. injection L as <- <-.
      split; [reflexivity|]. split; [exact I|]. apply find_in in F.
      apply (cells_right _ _ _ S _ F).
  Qed.

  Lemma operand_word v m s o : simulates v m s -> is_word (operand s o).
  Proof.
    intros S. destruct o as [r|a|z]; cbn [operand].
    - apply (file_words _ _ _ S).
    - apply load_is_word, (bytes _ _ _ S).
    - apply Z.mod_pos_bound. reflexivity.
  Qed.

  Lemma read_right v m s o k m' : read c code o m = Some (k, m') -> simulates v m s ->
    simulates v m' (access o s) /\ denotes (sys m) v k (operand s o) /\
    sys m' = sys m /\ cf m' = cf m /\ of m' = of m.
  Proof.
    intros L S. destruct o as [r|a|z]; cbn [read operand access] in *.
    - injection L as <- <-. split; [exact S|]. split; [apply (file_right _ _ _ S) | auto].
    - destruct (address_of m a) as [[b o]|] eqn:A; [|discriminate]. cbn [bind] in L.
      rewrite (address_right v m s a b o S A).
      destruct (load_from_right _ _ _ _ _ _ _ L S) as (-> & I & D).
      rewrite (inside_no_wrap _ _ _ R b o 8 I) by lia. split; [now apply simulates_access|]. auto.
    - injection L as <- <-. split; [exact S|]. split; [apply means_const | auto].
  Qed.

  (** ** Writes *)

  Lemma store_right v m s a o k A m' : store_to c code a o k m = Some m' -> simulates v m s ->
    denotes (sys m) v k A -> is_word A ->
    (where_ a + o) mod radix = where_ a + o /\ sys m' = sys m /\ file m' = file m /\
    simulates v m' (write (where_ a + o) A s).
  Proof.
    unfold store_to. intros L S D W.
    destruct (may_write c code a o) eqn:E; [|discriminate]. cbn [guard bind] in L.
    injection L as <-. destruct (may_write_right _ _ start _ _ E) as (I & _).
    split; [apply (inside_no_wrap _ _ _ R) with (n := 8); lia || assumption|].
    do 2 (split; [reflexivity|]).
    unfold write. apply (simulates_access v (with_cells _ m)
      (State (registers s) (carry s) (overflow s) (store (memory s) (where_ a + o) A) (here s)
        (trace s)) a o 8); [|exact I].
    destruct S. constructor; cbn [with_cells sys file cells cf of pc seen registers memory carry
      overflow here trace]; auto.
    - now apply (store_cells _ _ _ R).
    - now apply store_kept.
    - intros x. now apply store_byte.
  Qed.

  (** ** The stack pointer *)

  Lemma stack_offset_right v m s o : simulates v m s -> stack_offset m = Some o ->
    registers s RSP = (where_ Stack + o) mod radix.
  Proof.
    intros S H. pose proof (file_right _ _ _ S RSP) as F. unfold stack_offset in H.
    destruct (file m RSP) as [w|[] p|?|l]; try discriminate. injection H as <-. exact F.
  Qed.

  Lemma move_stack_right v m s o m' : move_stack c o m = Some m' -> simulates v m s ->
    sys m' = sys m /\ simulates v m' (set RSP ((where_ Stack + o) mod radix) s).
  Proof.
    unfold move_stack. intros L S. destruct (guard _) as [[]|]; [|discriminate].
    cbn [bind] in L. injection L as <-. split; [reflexivity|].
    apply simulates_register.
    - apply simulates_cells; [exact S|]. intros x X. now apply filter_In in X.
    - reflexivity.
    - apply mod_word.
  Qed.

  (** ** Results of instructions *)

  Lemma put_right v m s r k A m' : put r k m = Some m' -> simulates v m s ->
    denotes (sys m) v k A -> is_word A ->
    sys m' = sys m /\ simulates v m' (set r A s).
  Proof.
    unfold put. intros L S D W. destruct (guard _) as [[]|]; [|discriminate].
    cbn [bind] in L. injection L as <-. split; [reflexivity|]. now apply simulates_register.
  Qed.

  (** A word that a new system gives, with the flags that it gives. *)
  Lemma put_word_right v m s v' s' r w A m' f g b d :
    put_word r w s' (with_flags f g m) = Some m' -> simulates v m s ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    flag_means s' v' f b -> flag_means s' v' g d ->
    exists v2, simulates v2 m' (set r A (flags b d s)) /\ extends (sys m) v (sys m') v2.
  Proof.
    intros P S E G M W F1 F2. unfold put_word in P. exists v'.
    pose proof (simulates_flags v' (with_sys s' m) s f g b d
      (simulates_sys _ _ _ _ _ S E G) F1 F2) as S'.
    destruct (put_right v' _ _ _ (Known w) A _ P S' M W) as [Q T].
    split; [exact T|]. rewrite Q. exact E.
  Qed.

  Lemma with_own_flags m : with_flags (cf m) (of m) m = m.
  Proof. destruct m; reflexivity. Qed.

  Lemma own_flags s : flags (carry s) (overflow s) s = s.
  Proof. destruct s; reflexivity. Qed.

  (** The same where the flags stay. *)
  Lemma put_only_right v m s v' s' r w A m' :
    put_word r w s' m = Some m' -> simulates v m s ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    exists v2, simulates v2 m' (set r A s) /\ extends (sys m) v (sys m') v2.
  Proof.
    intros P S E G M W. rewrite <- (with_own_flags m) in P. rewrite <- (own_flags s).
    eapply put_word_right; eauto.
    - eapply flag_extends; [exact E|]. apply (cf_right _ _ _ S).
    - eapply flag_extends; [exact E|]. apply (of_right _ _ _ S).
  Qed.
End Kernel.
