(** The checker for x86-64, and its theorem. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas Formula Followed Stated.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation Sums LowBytes Calls Steps
  Decode Run.
Import ListNotations.
Open Scope Z_scope.

(** All other promises, from the symbolic machine before the return. *)
Lemma return_keeps c code start v m s : ready c code start -> simulates c code start v m s ->
  returns c code m = true -> exists last, execute Ret s = Some last /\
    memory last = memory s /\ proper last /\
    (function_kept c start last -> done c code ((Stack, 0, 8) :: seen m) start last).
Proof.
  intros R S2 RT.
  unfold returns in RT. apply andb_prop in RT as [RT SV]. apply andb_prop in RT as [RS RI].
  apply is_inside_right in RI.
  destruct (stack_offset m) as [o|] eqn:O; [|discriminate].
  assert (o = 0) as -> by (destruct o; (discriminate || reflexivity)).
  pose proof (stack_offset_right _ _ _ _ _ _ _ S2 O) as SP.
  rewrite (inside_no_wrap _ _ _ R _ _ _ RI ltac:(lia)), Z.add_0_r in SP.
  cbn [place] in SP. eexists. split; [reflexivity|]. split; [reflexivity|]. split.
  { split; [|apply (bytes _ _ _ _ _ _ S2)].
    intros r. cbn [go set note registers].
    destruct (register_beq r RSP); [apply mod_word | apply (file_words _ _ _ _ _ _ S2)]. }
  intros [F B]. constructor; [exact F | exact B | ..];
    cbn [go set note registers memory here trace].
  - unfold return_address. rewrite SP. apply load_ext. intros a A. apply (frame _ _ _ _ _ _ S2).
    intros [W|[_ W]].
    + apply (stack_apart _ _ _ R Result ltac:(discriminate) _ W).
      assert (registers start RSP = place c start Stack) as E by reflexivity. rewrite E in A.
      replace a with (place c start Stack + 0 + (a - place c start Stack)) by lia.
      apply within_inside with (n := 8); [exact RI | lia].
    + apply W. cbn [place]. change stack_pointer with RSP. change link_size with 8. lia.
  - rewrite SP. reflexivity.
  - intros r I. rewrite forallb_forall in SV.
    destruct (restored_right _ _ _ R _ _ _ _ _ (SV r I) (file_right _ _ _ _ _ _ S2 r)) as [D NS].
    change (register_beq r RSP = false) in NS. now rewrite NS.
  - apply (frame _ _ _ _ _ _ S2).
  - cbn [map app access_at place]. rewrite SP, Z.add_0_r. f_equal.
    apply (trace_right _ _ _ _ _ _ S2).
  - intros a o k [[= <- <- <-]|I]; [exact RI | apply (seen_right _ _ _ _ _ _ S2 _ _ _ I)].
Qed.

Lemma simulates_agree c code start v u m s : simulates c code start v m s ->
  agree (next (sys m)) v u -> simulates c code start u m s.
Proof.
  intros S A. assert (with_sys (sys m) m = m) as Q by (destruct m; reflexivity).
  rewrite <- Q. assert (extends (sys m) v (sys m) u) as X by (split; [lia | exact A]).
  eapply simulates_sys; [exact S | exact X |].
  exact (always_extends _ _ _ _ _ X (good_sys _ _ _ _ _ _ S)).
Qed.

(** ** What the machine is after a call that is not followed, and what a call needs *)

Definition renewed (_ : machine) (s : system) (f : register -> content)
    (l : list (area * Z * content)) (a : Z) (e : list (area * Z * Z)) : machine :=
  Symbolic s f l None None a e.

Definition may_enter (_ : machine) (_ : Z) : bool := true.
Definition caller_of (m : machine) (top : Z) : option Z :=
  k <- find Stack top (cells m);
  match k with Pointer Code a => Some a | _ => None end.

Definition seen_at_return (m : machine) : list (area * Z * Z) := (Stack, 0, 8) :: seen m.

Lemma may_enter_right c code start v m s o : ready c code start ->
  simulates c code start v m s -> stack_offset m = Some o -> may_enter m o = true -> aligned s.
Proof. intros. exact I. Qed.

Lemma caller_of_right c code start v m s o a : ready c code start ->
  simulates c code start v m s -> stack_offset m = Some o -> caller_of m o = Some a ->
  inside c code Code a 1 -> registers s stack_pointer = place c start Stack + o ->
  return_address s = place c start Code + a.
Proof.
  intros R S _ C IC SP. unfold caller_of in C. unbind C.
  destruct c0 as [|[] z|?|?]; try discriminate C. injection C as ->.
  destruct (cells_right _ _ _ _ _ _ S _ (find_in _ _ _ _ E)) as (_ & _ & D).
  unfold return_address. change stack_pointer with RSP in SP. rewrite SP.
  etransitivity; [exact D | exact (inside_no_wrap _ _ _ R _ _ _ IC ltac:(lia))].
Qed.

(** ** What [Followed.v] asks for *)

Module FollowedX86_64 <: Followed.
  Module P := X86_64.
  Module K := OfX86_64.

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
    [RAX; RCX; RDX; RBX; RSP; RBP; RSI; RDI; R8; R9; R10; R11; R12; R13; R14; R15].
  Definition position (r : register) : nat :=
    match r with
    | RAX => 0 | RCX => 1 | RDX => 2 | RBX => 3 | RSP => 4 | RBP => 5 | RSI => 6 | RDI => 7
    | R8 => 8 | R9 => 9 | R10 => 10 | R11 => 11 | R12 => 12 | R13 => 13 | R14 => 14 | R15 => 15
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

  Definition choices := unit.
  Definition no_choices := tt.
  Definition entered (_ : choices) (c : contract) : machine := entered c.
  Lemma entered_sys h c : sys (entered h c) = entered_system c.
  Proof. reflexivity. Qed.
  Lemma entered_cells_are h c : cells (entered h c) = entered_cells c.
  Proof. reflexivity. Qed.

  Definition fetch := fetch.
  Definition step := step.
  Definition return_to := return_to.
  Definition seen_at_return := seen_at_return.
  Definition returns := returns.

  Definition simulates := simulates.
  Definition good_sys := good_sys.
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
  Proof. intros _ _. now constructor. Qed.

  Definition stack_offset_right := stack_offset_right.
  Definition may_enter_right := may_enter_right.
  Definition caller_of_right := caller_of_right.

  Lemma fetch_right c code start v m s i m1 : ready c code start ->
    fetch c code m = Some (i, m1) -> simulates c code start v m s ->
    exists s1, advance s = execute i s1 /\ simulates c code start v m1 s1 /\ sys m1 = sys m.
  Proof.
    intros R F S. destruct (fetch_right _ _ _ R _ _ _ _ _ F S) as (s1 & A & S1 & Q & _). eauto.
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
End FollowedX86_64.

Module Export CheckingX86_64 := Stated.Make FollowedX86_64.
