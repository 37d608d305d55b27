(** Calls and returns: what the symbolic machine does at them stands for what the processor does. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options System Expression Verdict Entry Areas.
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
  Notation stands_same := (Sums.stands_same c code start).

  Lemma jump_right v m s place m' a : jump c code place m = Some m' -> sim v m s ->
    a = (here start + place) mod radix -> sys m' = sys m /\ sim v m' (go a s).
  Proof.
    unfold jump. intros J S ->. destruct (is_inside _ _ _ _ _) eqn:I; [|discriminate].
    cbn [guard bind] in J. injection J as <-. split; [reflexivity|].
    apply is_inside_right in I.
    pose proof (inside_no_wrap _ _ _ R _ _ _ I ltac:(lia)) as N. cbn [OfX86_64.place] in N.
    rewrite N. destruct S. now constructor.
  Qed.

  Lemma call_right d m m' v s : step c code (Call d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Call d) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. rename z into o. unbind H. rename m0 into m1.
    unbind H. rename m0 into m2.
    pose proof (stack_offset_right _ _ _ _ _ _ _ S E) as P.
    pose proof (here_right _ _ _ _ _ _ S) as RP. cbn [place] in RP.
    destruct (store_right _ _ _ R _ _ _ _ _ _ (here s mod radix) _ E0 S) as (N & Q & F & S1).
    { cbn [denotes place]. now rewrite RP. }
    { apply mod_word. }
    destruct (move_stack_right _ _ _ _ _ _ _ _ E1 S1) as [Q2 S2].
    destruct (jump_right _ _ _ _ _ ((here s + d) mod radix) H S2) as [Q3 S3].
    { rewrite RP. f_equal. lia. }
    eapply stands_same; [rewrite Q3, Q2; exact Q | exact S3 |].
    cbn [execute]. rewrite P, Zminus_mod_idemp_l, <- Z.add_sub_assoc, N. reflexivity.
  Qed.

  (** A return goes to the instruction after the call: it pops the address that the call left. *)
  Lemma return_right caller m m' v s : return_to c code caller m = Some m' -> sim v m s ->
    stands_for m m' v (execute Ret s).
  Proof.
    unfold return_to. intros H S. unbind H. rename z into o. unbind H. destruct p as [k m1].
    unbind H. unbind H. rename m0 into m2.
    destruct k as [w|[] p|?|?]; try discriminate. cbn [guard] in E1.
    destruct (Z.eqb_spec p caller) as [->|]; [|discriminate].
    pose proof (stack_offset_right _ _ _ _ _ _ _ S E) as P.
    destruct (load_from_right _ _ _ R _ _ _ _ _ _ _ E0 S) as (-> & J & D).
    pose proof (simulates_access _ _ _ _ _ _ _ _ _ S J) as S1.
    destruct (move_stack_right _ _ _ _ _ _ _ _ E2 S1) as [Q2 S2].
    pose proof (inside_no_wrap _ _ _ R _ _ _ J ltac:(lia)) as N.
    destruct (jump_right _ _ _ _ _ _ H S2 D) as [Q3 S3].
    eapply stands_same; [rewrite Q3; exact Q2 | exact S3 |].
    cbn [execute]. rewrite P, N, Z.add_assoc. reflexivity.
  Qed.
End Kernel.
