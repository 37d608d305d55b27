(** The checker for AArch64, and its theorem. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression
  Verdict Entry Areas Formula Followed Stated.
From Fieldc.aarch64 Require Import Machine Kernel Words Facts Symbolic Instructions Simulation
  Accesses Calls Steps Advance Run.
Import ListNotations.
Open Scope Z_scope.

(** All other promises, from the symbolic machine before the return. *)
Lemma return_keeps c code start v m s : ready c code start -> simulates c code start v m s ->
  returns c m = true -> exists last, execute Ret s = Some last /\
    memory last = memory s /\ proper last /\
    (function_kept c start last -> done c code (seen m) start last).
Proof.
  intros R S RT. unfold returns in RT. apply andb_prop in RT as [RS SV].
  destruct (stack_offset m) as [o|] eqn:O; [|discriminate].
  assert (o = 0) as -> by (destruct o; (discriminate || reflexivity)).
  assert (registers s SP = (place c start Stack + 0) mod radix) as P.
  { pose proof (file_right _ _ _ _ _ _ S SP) as F. unfold stack_offset in O.
    destruct (file m SP) as [?|[] p|?|?]; try discriminate O. injection O as ->. exact F. }
  assert (forall r, In r (X30 :: saved (calling c)) -> registers s r = registers start r) as K.
  { intros r I. rewrite forallb_forall in SV.
    apply (restored_right _ _ _ R _ _ _ _ _ (SV r I) (file_right _ _ _ _ _ _ S r)). }
  eexists. split; [reflexivity|]. split; [reflexivity|].
  split; [split; [apply (file_words _ _ _ _ _ _ S) | apply (bytes _ _ _ _ _ _ S)]|].
  intros [F B]. constructor; [exact F | exact B | ..]; cbn [go registers memory here trace].
  - apply K. now left.
  - change stack_pointer with SP. change link_size with 0. exact P.
  - intros r I. apply K. now right.
  - apply (frame _ _ _ _ _ _ S).
  - apply (trace_right _ _ _ _ _ _ S).
  - apply (seen_right _ _ _ _ _ _ S).
Qed.

Lemma simulates_agree c code start v u m s : simulates c code start v m s ->
  agree (next (sys m)) v u -> simulates c code start u m s.
Proof.
  intros S A. assert (with_words (wds m) m = m) as Q by (destruct m; reflexivity).
  rewrite <- Q. assert (extends (sys m) v (sys m) u) as X by (split; [lia | exact A]).
  apply simulates_words with (v := v); [exact S|]. split; [exact X|].
  exact (always_extends _ _ _ _ _ X (words_right _ _ _ _ _ _ S)).
Qed.

(** ** What the machine is after a call that is not followed, and what a call needs *)

Definition renewed (m : machine) (s : system) (f : register -> content)
    (l : list (area * Z * content)) (a : Z) (e : list (area * Z * Z)) : machine :=
  Symbolic (with_known s (wds m)) f l None None a e.

Definition may_enter (m : machine) (top : Z) : bool := (pc m mod 4 =? 0) && (top mod 16 =? 0).
Definition caller_of (m : machine) (_ : Z) : option Z :=
  match file m X30 with Pointer Code a => Some a | _ => None end.

Definition seen_at_return (m : machine) : list (area * Z * Z) := seen m.

Lemma stack_offset_right c code start v m s o : simulates c code start v m s ->
  stack_offset m = Some o -> registers s stack_pointer = (place c start Stack + o) mod radix.
Proof.
  unfold stack_offset. intros S O.
  pose proof (file_right _ _ _ _ _ _ S SP) as D.
  destruct (file m SP) as [?|[] p|?|?]; try discriminate O. injection O as <-. exact D.
Qed.

Lemma may_enter_right c code start v m s o : ready c code start ->
  simulates c code start v m s -> stack_offset m = Some o -> may_enter m o = true -> aligned s.
Proof.
  intros R S O E. apply andb_prop in E as [E1 E2]. apply Z.eqb_eq in E1, E2. split.
  - rewrite (here_right _ _ _ _ _ _ S), Z.add_mod, E1 by discriminate.
    pose proof (proj1 (entered_aligned _ _ _ R)) as A.
    change (place c start Code) with (here start). rewrite A. reflexivity.
  - change SP with stack_pointer. rewrite (stack_offset_right _ _ _ _ _ _ _ S O).
    exact (sp_aligned _ _ _ R _ E2).
Qed.

Lemma caller_of_right c code start v m s o a : ready c code start ->
  simulates c code start v m s -> stack_offset m = Some o -> caller_of m o = Some a ->
  inside c code Code a 1 -> registers s stack_pointer = place c start Stack + o ->
  return_address s = place c start Code + a.
Proof.
  intros R S _ C IC _. unfold caller_of in C.
  pose proof (file_right _ _ _ _ _ _ S X30) as D.
  destruct (file m X30) as [?|[] p|?|?]; try discriminate C. injection C as ->.
  etransitivity; [exact D | exact (inside_no_wrap _ _ _ R _ _ _ IC ltac:(lia))].
Qed.

(** ** What [Followed.v] asks for *)

Module FollowedAArch64 <: Followed.
  Module P := AArch64.
  Module K := OfAArch64.

  Definition instruction := instruction.
  Definition turn_of (i : instruction) : turn :=
    match i with Call _ => Calling | Ret => Returning | _ => Onward end.
  Definition execute := execute.
  Definition leave := execute Ret.
  Lemma leave_right i s : turn_of i = Returning -> execute i s = leave s.
  Proof. now destruct i. Qed.

  Definition advance := advance.
  Definition run := run.
  Lemma run_none s : run 0 s = Some s.
  Proof. reflexivity. Qed.
  Lemma run_more n s :
    run (S n) s = match advance s with Some s' => run n s' | None => None end.
  Proof. reflexivity. Qed.

  Definition all_registers : list register :=
    [X0; X1; X2; X3; X4; X5; X6; X7; X8; X9; X10; X11; X12; X13; X14; X15; X16; X17; X18; X19; X20;
     X21; X22; X23; X24; X25; X26; X27; X28; X29; X30; SP].
  Definition position (r : register) : nat :=
    match r with
    | X0 => 0 | X1 => 1 | X2 => 2 | X3 => 3 | X4 => 4 | X5 => 5 | X6 => 6 | X7 => 7 | X8 => 8
    | X9 => 9 | X10 => 10 | X11 => 11 | X12 => 12 | X13 => 13 | X14 => 14 | X15 => 15 | X16 => 16
    | X17 => 17 | X18 => 18 | X19 => 19 | X20 => 20 | X21 => 21 | X22 => 22 | X23 => 23
    | X24 => 24 | X25 => 25 | X26 => 26 | X27 => 27 | X28 => 28 | X29 => 29 | X30 => 30 | SP => 31
    end%nat.
  Lemma position_right r :
    (position r < length all_registers)%nat /\ nth_error all_registers (position r) = Some r.
  Proof. destruct r; cbn; split; (reflexivity || lia). Qed.
  Lemma link_size_right : 0 <= link_size.
  Proof. discriminate. Qed.

  Definition machine := machine.
  Definition sys := sys.
  Definition file := file.
  Definition cells := cells.
  Definition pc := pc.
  Definition seen := seen.
  Definition renewed := renewed.
  Lemma renewed_sys m s f l a e : sys (renewed m s f l a e) = s.
  Proof. reflexivity. Qed.
  Lemma renewed_cells m s f l a e : cells (renewed m s f l a e) = l.
  Proof. reflexivity. Qed.

  Definition stack_offset := stack_offset.
  Definition may_enter := may_enter.
  Definition caller_of := caller_of.

  Definition choices := list hint.
  Definition no_choices : choices := [].
  Definition entered (hints : choices) (c : contract) : machine := entered c hints.
  Lemma entered_sys h c : sys (entered h c) = entered_system c.
  Proof. reflexivity. Qed.
  Lemma entered_cells_are h c : cells (entered h c) = entered_cells c.
  Proof. reflexivity. Qed.

  Definition fetch := fetch.
  Definition step := step.
  Definition return_to := return_to.
  Definition seen_at_return := seen_at_return.
  Definition returns (c : contract) (_ : list Z) (m : machine) : bool := returns c m.

  Definition simulates := simulates.
  Lemma good_sys c code start v m s : simulates c code start v m s -> good (sys m) v.
  Proof. intros S. exact (right_good _ _ (words_right _ _ _ _ _ _ S)). Qed.
  Definition file_right := file_right.
  Definition file_words := file_words.
  Definition cells_right := cells_right.
  Definition frame := frame.
  Definition bytes := bytes.
  Definition here_right := here_right.
  Definition trace_right := trace_right.
  Definition seen_right := seen_right.
  Definition simulates_agree := simulates_agree.

  Lemma renewed_right c code start v m s s' v' f l a accesses last :
    simulates c code start v m s -> extends (sys m) v s' v' -> good s' v' ->
    (forall r, denotes c start s' v' (f r) (registers last r)) ->
    (forall r, is_word (registers last r)) ->
    (forall cell, In cell l -> cell_right c code start s' v' (memory last) cell) ->
    (forall b, ~ writable c code start b -> memory last b = memory start b) ->
    (forall b, 0 <= memory last b < 256) ->
    here last = place c start Code + a ->
    trace last = map (access_at c start) accesses ++ trace start ->
    (forall b o n, In (b, o, n) accesses -> inside c code b o n) ->
    simulates c code start v' (renewed m s' f l a accesses) last.
  Proof.
    intros S X G. pose proof (right_system _ _ _ _ (words_right _ _ _ _ _ _ S) X G) as [_ W].
    now constructor.
  Qed.

  Definition stack_offset_right := stack_offset_right.
  Definition may_enter_right := may_enter_right.
  Definition caller_of_right := caller_of_right.

  Lemma fetch_right c code start v m s i m1 : ready c code start ->
    fetch c code m = Some (i, m1) -> simulates c code start v m s ->
    exists s1, advance s = execute i s1 /\ simulates c code start v m1 s1 /\ sys m1 = sys m.
  Proof.
    intros R F S. destruct (fetch_right _ _ _ R _ _ _ _ _ F S) as (s1 & A & S1 & Q). eauto.
  Qed.

  Definition stands_for c code start (m m' : machine) (v : valuation) (s : option state) : Prop :=
    exists s' v', s = Some s' /\ simulates c code start v' m' s' /\ extends (sys m) v (sys m') v'.
  Lemma step_right c code start i m m' v s : ready c code start ->
    step c code i m = Some m' -> simulates c code start v m s ->
    stands_for c code start m m' v (execute i s).
  Proof. intros R. now apply step_right. Qed.
  Lemma return_right c code start caller m m' v s : ready c code start ->
    return_to c code caller m = Some m' -> simulates c code start v m s ->
    stands_for c code start m m' v (leave s).
  Proof. intros R. now apply return_right. Qed.

  Definition return_keeps := return_keeps.
  Lemma entered_simulates h c code start v : ready c code start -> good (entered_system c) v ->
    (forall r, denotes c start (entered_system c) v (entry_content c r) (registers start r)) ->
    (forall cell, In cell (entered_cells c) ->
      cell_right c code start (entered_system c) v (memory start) cell) ->
    simulates c code start v (entered h c) start.
  Proof. intros R. now apply entered_simulates. Qed.
End FollowedAArch64.

Module Export CheckingAArch64 := Stated.Make FollowedAArch64.
