(** The checker for AArch64, and the theorem: what it accepts keeps its promise, in every run. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression
  Replay Between Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Words Facts Symbolic Simulation Advance Run.
Import ListNotations.
Open Scope Z_scope.

(** How many instructions a run may have. *)
Definition most_steps : nat := Nat.pow 2 16.

(** What an accepted kernel executes and reads. *)
Definition checked_accesses (hints : list hint) (c : contract) (code : list Z) (given : certificate)
    : option (list (area * Z * Z)) :=
  m <- follow c code most_steps (entered c hints);
  _ <- guard (plausible c code && returns c m);
  _ <- verdict c (sys m) (cells m) given;
  Some (seen m).

Definition check (hints : list hint) (c : contract) (code : list Z) (given : certificate) : bool :=
  match checked_accesses hints c code given with Some _ => true | None => false end.

(** ** The proof *)

Lemma run_one_more n : forall s s' s'', run n s = Some s' -> advance s' = Some s'' ->
  run (Datatypes.S n) s = Some s''.
Proof.
  induction n as [|n IH]; intros s s' s'' RN NX.
  - cbn [run] in *. injection RN as ->. now rewrite NX.
  - cbn [run] in RN. destruct (advance s) as [t|] eqn:T; [|discriminate].
    specialize (IH _ _ _ RN NX). cbn [run] in *. now rewrite T.
Qed.

(** All other promises, from the symbolic machine before the return. *)
Lemma return_keeps c code start v m s : ready c code start -> simulates c code start v m s ->
  returns c m = true -> exists last, execute Ret s = Some last /\ memory last = memory s /\
    (function_kept c start last -> done c code (seen m) start last).
Proof.
  intros R S RT. unfold returns in RT. apply andb_prop in RT as [RS SV].
  destruct (stack_offset m) as [o|] eqn:O; [|discriminate].
  assert (o = 0) as -> by (destruct o; (discriminate || reflexivity)).
  assert (registers s SP = (place c start Stack + 0) mod radix) as P.
  { pose proof (file_right _ _ _ _ _ _ S SP) as F. unfold stack_offset in O.
    destruct (file m SP) as [?|[] p|?]; try discriminate O. injection O as ->. exact F. }
  assert (forall r, In r (X30 :: saved (calling c)) -> registers s r = registers start r) as K.
  { intros r I. rewrite forallb_forall in SV.
    apply (restored_right _ _ _ R _ _ _ _ _ (SV r I) (file_right _ _ _ _ _ _ S r)). }
  eexists. split; [reflexivity|]. split; [reflexivity|].
  intros [F B]. constructor; [exact F | exact B | ..]; cbn [go registers memory here trace].
  - apply K. now left.
  - change stack_pointer with SP. change link_size with 0. exact P.
  - intros r I. apply K. now right.
  - apply (frame _ _ _ _ _ _ S).
  - apply (trace_right _ _ _ _ _ _ S).
  - apply (seen_right _ _ _ _ _ _ S).
Qed.

Theorem checked_exactly hints c code given seen :
  checked_accesses hints c code given = Some seen ->
  exists n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof.
  unfold checked_accesses. intros C. unbind C. rename E into F.
  destruct (_ && _) eqn:B in C; [|discriminate C]. cbn [guard bind] in C.
  apply andb_prop in B as [P RT]. destruct (verdict _ _ _ _) as [[]|] eqn:V; [|discriminate C].
  injection C as <-. destruct (follow_right _ _ _ _ _ F) as (n & K).
  exists (Datatypes.S n). intros start R.
  destruct (entered_right c code start R P) as (v0 & G0 & F0 & C0 & LS & SM).
  destruct (K start R _ _ (entered_simulates _ _ _ R hints _ G0 F0 C0))
    as (s1 & v & s2 & RN & NX & S2 & EX).
  destruct (return_keeps _ _ _ _ _ _ R S2 RT) as (last & RL & ML & KEPT).
  exists last. split; [eapply run_one_more; [exact RN | now rewrite NX]|].
  apply KEPT. apply (verdict_right c code start given (sys m) v0 v (cells m) (memory s2)); auto.
  - apply right_good, (words_right _ _ _ _ _ _ S2).
  - apply (cells_right _ _ _ _ _ _ S2).
  - apply (bytes _ _ _ _ _ _ S2).
Qed.

Theorem checked hints c code given : check hints c code given = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof.
  unfold check. intros C.
  destruct (checked_accesses hints c code given) as [seen|] eqn:A; [|discriminate C].
  exists seen. exact (checked_exactly _ _ _ _ _ A).
Qed.
