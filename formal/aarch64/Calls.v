(** Calls and returns: what the symbolic machine does at them stands for what the processor does. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options System Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Words Symbolic Instructions Simulation.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation sim := (simulates c code start).
  Notation stands_for := (Simulation.stands_for c code start).

  Lemma jump_right v m s place m' a : jump c code place m = Some m' -> sim v m s ->
    a = (here start + place) mod radix -> wds m' = wds m /\ sim v m' (go a s).
  Proof.
    unfold jump. intros J S ->. destruct (is_inside _ _ _ _ _) eqn:I; [|discriminate].
    cbn [guard bind] in J. injection J as <-. split; [reflexivity|].
    apply is_inside_right in I.
    pose proof (inside_no_wrap _ _ _ R _ _ _ I ltac:(lia)) as N. cbn [OfAArch64.place] in N.
    rewrite N. destruct S. now constructor.
  Qed.

  Lemma call_right d m m' v s : step c code (Call d) m = Some m' -> sim v m s ->
    stands_for m m' v (execute (Call d) s).
  Proof.
    intros H S. cbn [step] in H. unbind H. rename m0 into m1.
    pose proof (here_right _ _ _ _ _ _ S) as RP. cbn [OfAArch64.place] in RP.
    destruct (put_right c code start v m s (Some X30) _ (here s mod radix) _ E S) as [Q1 S1].
    { cbn [denotes OfAArch64.place]. now rewrite RP. }
    { apply mod_word. }
    destruct (jump_right _ _ _ _ _ ((here s + d) mod radix) H S1) as [Q2 S2].
    { rewrite RP. f_equal. lia. }
    eapply stands_same; [unfold sys; now rewrite Q2, Q1 | exact S2 | reflexivity].
  Qed.

  (** A return goes to the instruction after the call: X30 is the address that the call left. *)
  Lemma return_right caller m m' v s : return_to c code caller m = Some m' -> sim v m s ->
    stands_for m m' v (execute Ret s).
  Proof.
    unfold return_to. intros H S. unbind H.
    pose proof (file_right _ _ _ _ _ _ S X30) as D.
    destruct (file m X30) as [w|[] p|?|?]; try discriminate E. cbn [guard] in E.
    destruct (Z.eqb_spec p caller) as [E2|]; [|discriminate E]. rewrite E2 in D.
    destruct (jump_right _ _ _ _ _ _ H S D) as [Q S1].
    eapply stands_same; [unfold sys; now rewrite Q | exact S1 | reflexivity].
  Qed.
End Kernel.
