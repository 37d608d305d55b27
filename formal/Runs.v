(** The checker and its theorem: runs with calls, from the entry to the return. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression Replay
  Between Processor Contract Areas Entry Verdict Formula Followed.
Import ListNotations.
Open Scope Z_scope.

(** How many instructions a run may have. *)
Definition most_steps : nat := Nat.pow 2 16.

Module Make (F : Followed).
Import F F.P F.K.

(** What an instruction is to the run: a step, a call that is entered, or the last return. *)
Inductive happening := Stepped | Entered | Ended.

(** Each call is followed; [callers] says where those that have not returned came from, the last one
    first. The last return is read but not executed. *)
Definition one_step (c : contract) (code : list Z) (callers : list Z) (m : machine)
    : option (happening * machine * list Z) :=
  '(i, m1) <- fetch c code m;
  match turn_of i, callers with
  | Returning, [] => Some (Ended, m1, [])
  | Returning, caller :: rest => m2 <- return_to c code caller m1; Some (Stepped, m2, rest)
  | Calling, _ => m2 <- step c code i m1; Some (Entered, m2, pc m1 :: callers)
  | Onward, _ => m2 <- step c code i m1; Some (Stepped, m2, callers)
  end.

Fixpoint follow (c : contract) (code : list Z) (fuel : nat) (callers : list Z) (m : machine)
    : option machine :=
  match fuel with
  | O => None
  | S fuel' =>
      '(h, m1, rest) <- one_step c code callers m;
      match h with Ended => Some m1 | _ => follow c code fuel' rest m1 end
  end.

(** What an accepted kernel executes and reads, the return's own access included. *)
Definition checked_accesses (h : choices) (c : contract) (code : list Z) (given : certificate)
    : option (list (area * Z * Z)) :=
  m <- follow c code most_steps [] (entered h c);
  _ <- guard (plausible c code && returns c code m);
  _ <- verdict c (sys m) (cells m) given;
  Some (seen_at_return m).

Definition check (h : choices) (c : contract) (code : list Z) (given : certificate) : bool :=
  match checked_accesses h c code given with Some _ => true | None => false end.

(** ** The proof *)

Lemma run_one_more n : forall s s' s'', run n s = Some s' -> advance s' = Some s'' ->
  run (S n) s = Some s''.
Proof.
  induction n as [|n IH]; intros s s' s'' RN NX.
  - rewrite run_none in RN. injection RN as ->. now rewrite run_more, NX, run_none.
  - rewrite run_more in RN |- *. destruct (advance s) as [t|]; [|discriminate].
    exact (IH _ _ _ RN NX).
Qed.

Lemma run_on a b : forall s s', run a s = Some s' -> run (a + b) s = run b s'.
Proof.
  induction a as [|a IH]; cbn [Nat.add]; intros s s' E.
  - rewrite run_none in E. now injection E as ->.
  - rewrite run_more in E |- *. destruct (advance s); [now apply IH | discriminate E].
Qed.

(** What a step stands for: of the last return, what is known where it is read. *)
Lemma one_step_right c code callers m h m' rest start v s : ready c code start ->
  one_step c code callers m = Some (h, m', rest) -> simulates c code start v m s ->
  match h with
  | Ended => exists s1, advance s = leave s1 /\ simulates c code start v m' s1 /\ sys m' = sys m
  | _ => stands_for c code start m m' v (advance s)
  end.
Proof.
  unfold one_step. intros R O S. unbind O. destruct p as [i m1].
  destruct (fetch_right _ _ _ _ _ _ _ _ R E S) as (s1 & A & S1 & Q). rewrite A.
  assert (forall m2, stands_for c code start m1 m2 v (execute i s1) ->
    stands_for c code start m m2 v (execute i s1)) as Same.
  { intros m2 (s2 & v2 & X & S2 & EX). exists s2, v2. rewrite <- Q. auto. }
  destruct (turn_of i) eqn:KI; [| |destruct callers as [|caller before]].
  - unbind O. injection O as <- <- <-. eapply Same, step_right; eauto.
  - unbind O. injection O as <- <- <-. eapply Same, step_right; eauto.
  - injection O as <- <- <-. exists s1. rewrite (leave_right _ _ KI). auto.
  - unbind O. injection O as <- <- <-. apply Same. rewrite (leave_right _ _ KI).
    eapply return_right; eauto.
Qed.

(** The state before the return: every run reaches it, after the same number of instructions. *)
Lemma follow_right c code fuel : forall callers m m', follow c code fuel callers m = Some m' ->
  exists n, forall start, ready c code start -> forall v s, simulates c code start v m s ->
  exists s' v' s'', run n s = Some s' /\ advance s' = leave s'' /\
    simulates c code start v' m' s'' /\ extends (sys m) v (sys m') v'.
Proof.
  induction fuel as [|fuel IH]; cbn [follow]; intros callers m m' F; [discriminate|].
  unbind F. destruct p as [[h m1] rest].
  assert ((h = Ended /\ m1 = m') \/ (h <> Ended /\ follow c code fuel rest m1 = Some m'))
    as [[-> ->]|[NE FO]].
  { destruct h; [right; now split.. | left]. now injection F as ->. }
  - exists 0%nat. intros start R v s S.
    destruct (one_step_right _ _ _ _ _ _ _ _ _ _ R E S) as (s1 & A & S1 & Q).
    exists s, v, s1. rewrite Q, run_none. auto using extends_refl.
  - destruct (IH _ _ _ FO) as (n & K). exists (S n). intros start R v s S.
    assert (stands_for c code start m m1 v (advance s)) as (s1 & v1 & A & S1 & X1).
    { pose proof (one_step_right _ _ _ _ _ _ _ _ _ _ R E S) as ST.
      destruct h; [exact ST.. | contradiction]. }
    destruct (K start R _ _ S1) as (s' & v' & s'' & RN & NX & S2 & X2).
    exists s', v', s''. rewrite run_more, A. split; [exact RN|]. split; [exact NX|].
    split; [exact S2 | exact (extends_trans _ _ _ _ _ _ X1 X2)].
Qed.

Theorem checked_exactly h c code given seen : checked_accesses h c code given = Some seen ->
  exists n, forall start, ready c code start ->
  exists last, run n start = Some last /\ proper last /\ done c code seen start last.
Proof.
  unfold checked_accesses. intros C. unbind C. rename E into F.
  destruct (_ && _) eqn:B in C; [|discriminate C]. cbn [guard bind] in C.
  apply andb_prop in B as [P RT]. destruct (verdict _ _ _ _) as [[]|] eqn:V; [|discriminate C].
  injection C as <-. destruct (follow_right _ _ _ _ _ _ F) as (n & K).
  exists (S n). intros start R.
  destruct (entered_right c code start R P) as (v0 & G0 & F0 & C0 & LS & SM).
  destruct (K start R _ _ (entered_simulates h _ _ _ _ R G0 F0 C0))
    as (s1 & v & s2 & RN & NX & S2 & EX). rewrite entered_sys in EX.
  destruct (return_keeps _ _ _ _ _ _ R S2 RT) as (last & RL & ML & PL & KEPT).
  exists last. split; [eapply run_one_more; [exact RN | now rewrite NX]|]. split; [exact PL|].
  apply KEPT. apply (verdict_right c code start given (sys m) v0 v (cells m) (memory s2)); auto.
  - exact (good_sys _ _ _ _ _ _ S2).
  - exact (cells_right _ _ _ _ _ _ S2).
  - exact (bytes _ _ _ _ _ _ S2).
Qed.

Theorem checked h c code given : check h c code given = true ->
  exists seen n, forall start, ready c code start ->
  exists last, run n start = Some last /\ done c code seen start last.
Proof.
  unfold check. intros C. destruct (checked_accesses h c code given) as [seen|] eqn:A;
    [|discriminate C].
  destruct (checked_exactly _ _ _ _ _ A) as (n & K). exists seen, n. intros start R.
  destruct (K start R) as (last & RN & _ & D). eauto.
Qed.
End Make.
