(** Steps from bytes: the processor's and the symbolic machine's. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Bits Expression
  Verdict Entry Areas.
From Fieldc.x86_64 Require Import Machine Kernel Symbolic Simulation Sums LowBytes Calls Steps Decode.
Import ListNotations.
Open Scope Z_scope.

(** The processor reads an instruction where [here] is, moves [here] behind it, and executes it. *)
Definition longest : nat := 15.

Definition advance (s : state) : option state :=
  match decode (bytes_at (memory s) (here s) longest) with
  | None => None
  | Some (i, unread) =>
      let n := Z.of_nat (longest - length unread) in
      execute i (note (here s) n (go (here s + n) s))
  end.

Fixpoint run (n : nat) (s : state) : option state :=
  match n with
  | O => Some s
  | S n' => match advance s with Some s' => run n' s' | None => None end
  end.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  (** The instruction at [pc], and the machine behind it. *)
  Definition fetch (m : machine) : option (instruction * machine) :=
    let window := firstn longest (skipn (Z.to_nat (pc m)) code) in
    match decode window with
    | None => None
    | Some (i, unread) =>
        let n := Z.of_nat (length window - length unread) in
        _ <- guard (is_inside c code Code (pc m) n);
        Some (i, with_access Code (pc m) n (with_pc (pc m + n) m))
    end.

  Definition entered : machine :=
    Symbolic (entered_system c) (entry_content c) (entered_cells c) None None 0 [].

  (** Whether the return leaves what it should. *)
  Definition returns (m : machine) : bool :=
    match stack_offset m with Some 0 => true | _ => false end &&
    is_inside c code Stack 0 8 && forallb (fun r => is_restored (file m r) r) (saved (calling c)).

  (** ** The proof *)

  Variable start : state.
  Hypothesis R : ready c code start.
  Notation sim := (simulates c code start).

  Lemma bytes_at_app m n k : forall a,
    bytes_at m a (n + k) = bytes_at m a n ++ bytes_at m (a + Z.of_nat n) k.
  Proof.
    induction n as [|n IH]; intros a; cbn [Nat.add bytes_at app].
    - now rewrite Z.add_0_r.
    - rewrite IH. do 3 f_equal. lia.
  Qed.

  Lemma window_right m v s : sim v m s -> 0 <= pc m -> exists more,
    bytes_at (memory s) (here s) longest
    = firstn longest (skipn (Z.to_nat (pc m)) code) ++ more.
  Proof.
    intros S P. set (k := Z.to_nat (pc m)).
    set (n := Nat.min longest (length code - k)).
    assert (firstn longest (skipn k code) = firstn n (skipn k code)) as ->.
    { unfold n. destruct (Nat.min_spec longest (length code - k)) as [[_ ->]|[L ->]];
        [reflexivity|].
      rewrite (firstn_all2 (n := longest)) by (rewrite skipn_length; exact L).
      rewrite firstn_all2; [reflexivity | rewrite skipn_length; lia]. }
    exists (bytes_at (memory s) (here s + Z.of_nat n) (longest - n)).
    replace longest with (n + (longest - n))%nat at 1 by lia. rewrite bytes_at_app. f_equal.
    rewrite (here_right _ _ _ _ _ _ S). replace (pc m) with (Z.of_nat k) by lia.
    destruct (Nat.eq_dec n 0) as [->|N]; [reflexivity|].
    apply bytes_at_list; [lia|]. intros i B.
    rewrite (code_kept _ _ _ R _ _ (frame _ _ _ _ _ _ S)) by (assumption || lia).
    apply (code_is _ _ _ R), B.
  Qed.

  Lemma fetch_right m v s i m1 : fetch m = Some (i, m1) -> sim v m s ->
    exists s1, advance s = execute i s1 /\ sim v m1 s1 /\ sys m1 = sys m /\
      registers s1 = registers s /\ memory s1 = memory s.
  Proof.
    unfold fetch. intros F S.
    destruct (decode _) as [[j unread]|] eqn:D; [|discriminate].
    destruct (is_inside _ _ _ _ _) eqn:E; [|discriminate]. cbn [guard bind] in F.
    injection F as -> <-. apply is_inside_right in E.
    destruct (window_right m v s S) as (more & W); [destruct E; assumption|].
    unfold advance. rewrite W, (stable_decode _ _ _ more D).
    assert (length (firstn longest (skipn (Z.to_nat (pc m)) code) ++ more) = longest) as L
      by (rewrite <- W; apply bytes_at_length).
    rewrite app_length in *.
    replace (longest - (length unread + length more))%nat
      with (length (firstn longest (skipn (Z.to_nat (pc m)) code)) - length unread)%nat by lia.
    set (n := Z.of_nat _) in *.
    eexists. split; [reflexivity|]. split; [|auto].
    rewrite (here_right _ _ _ _ _ _ S). apply simulates_access; [|exact E].
    destruct S. constructor; auto. cbn [go with_pc here pc]. lia.
  Qed.

  Lemma entered_simulates v : good (entered_system c) v ->
    (forall r, denotes c start (entered_system c) v (entry_content c r) (registers start r)) ->
    (forall cell, In cell (entered_cells c) ->
      cell_right c code start (entered_system c) v (memory start) cell) ->
    sim v entered start.
  Proof.
    intros G F C. constructor; cbn [entered sys file cells cf of pc seen]; auto.
    - apply (words_are _ _ _ R).
    - apply (bytes_are _ _ _ R).
    - exact I.
    - exact I.
    - cbn [place]. lia.
    - intros a o n [].
  Qed.
End Kernel.
