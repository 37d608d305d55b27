(** The checker, and the theorem: what it accepts keeps its promise, in every run. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Replay Between Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation Sums Steps Decode Run.
Import ListNotations.
Open Scope Z_scope.

(** How many instructions a run may have. *)
Definition most_steps : nat := Nat.pow 2 16.

(** What an accepted kernel executes and reads, the return's own access included. *)
Definition checked_accesses (c : contract) (code : list Z) (given : certificate)
    : option (list (area * Z * Z)) :=
  m <- follow c code most_steps [] (entered c);
  _ <- guard (plausible c code && returns c code m);
  _ <- verdict c (sys m) (cells m) given;
  Some ((Stack, 0, 8) :: seen m).

Definition check (c : contract) (code : list Z) (given : certificate) : bool :=
  match checked_accesses c code given with Some _ => true | None => false end.

(** ** The proof *)

Lemma run_one_more n : forall s s' s'', run n s = Some s' -> advance s' = Some s'' ->
  run (Datatypes.S n) s = Some s''.
Proof.
  induction n as [|n IH]; intros s s' s'' RN NX.
  - cbn [run] in *. injection RN as ->. now rewrite NX.
  - cbn [run] in RN. destruct (advance s) as [t|] eqn:T; [|discriminate].
    specialize (IH _ _ _ RN NX). cbn [run] in *. now rewrite T.
Qed.

Definition proper (s : state) : Prop :=
  (forall r, is_word (registers s r)) /\ (forall a, 0 <= memory s a < 256).

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

Theorem checked_exactly c code given seen : checked_accesses c code given = Some seen ->
  exists n, forall start, ready c code start ->
  exists last, run n start = Some last /\ proper last /\ done c code seen start last.
Proof.
  unfold checked_accesses. intros C. unbind C. rename m into m. rename E into F.
  destruct (_ && _) eqn:B in C; [|discriminate C]. cbn [guard bind] in C.
  apply andb_prop in B as [P RT]. destruct (verdict _ _ _ _) as [[]|] eqn:V; [|discriminate C].
  injection C as <-.
  destruct (follow_right _ _ _ _ _ _ F) as (n & K).
  exists (Datatypes.S n). intros start R.
  destruct (entered_right c code start R P) as (v0 & G0 & F0 & C0 & LS & SM).
  destruct (K start R _ _ (entered_simulates _ _ _ R _ G0 F0 C0))
    as (s1 & v & s2 & RN & NX & S2 & EX).
  destruct (return_keeps _ _ _ _ _ _ R S2 RT) as (last & RL & ML & PL & KEPT).
  exists last. split; [eapply run_one_more; [exact RN | now rewrite NX]|]. split; [exact PL|].
  apply KEPT. apply (verdict_right c code start given (sys m) v0 v (cells m) (memory s2)); auto;
    apply S2.
Qed.

Theorem checked c code given : check c code given = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof.
  unfold check. intros C. destruct (checked_accesses c code given) as [seen|] eqn:A;
    [|discriminate C].
  destruct (checked_exactly _ _ _ _ A) as (n & K). exists seen, n. intros start R.
  destruct (K start R) as (last & RN & _ & D). eauto.
Qed.
