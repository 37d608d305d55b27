(** The symbolic machine's steps: from bytes, at the entry, and to the return. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression
  Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Symbolic Instructions
  Simulation Accesses Steps Decode Advance.
Import ListNotations.
Open Scope Z_scope.

(** Products by constants that the certificate names: a word, its factor, the constant. They only
    choose between rows. *)
Definition hint : Set := (variable * Z * Z)%type.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  (** The instruction at [pc], and the machine behind it. *)
  Definition fetch (m : machine) : option (instruction * machine) :=
    _ <- guard (is_inside c code Code (pc m) 4 && (pc m mod 4 =? 0));
    i <- decode (number (firstn 4 (skipn (Z.to_nat (pc m)) code)));
    Some (i, with_access Code (pc m) 4 (with_pc (pc m + 4) m)).

  Definition entered (hints : list hint) : machine :=
    Symbolic (Words (entered_system c) hints [] [] [] [] [] [] [] [])
      (entry_content c) (entered_cells c) None None 0 [].

  (** Whether the return leaves what it should. *)
  Definition returns (m : machine) : bool :=
    match stack_offset m with Some 0 => true | _ => false end &&
    forallb (fun r => is_restored (file m r) r) (X30 :: saved (calling c)).

  (** ** The proof *)

  Variable start : state.
  Hypothesis R : ready c code start.
  Notation sim := (simulates c code start).

  Lemma fetch_right m v s i m1 : fetch m = Some (i, m1) -> sim v m s ->
    exists s1, advance s = execute i s1 /\ sim v m1 s1 /\ sys m1 = sys m.
  Proof.
    unfold fetch. intros F S. destruct (_ && _) eqn:G in F; [|discriminate F].
    cbn [guard bind] in F. apply andb_prop in G as [J A]. apply is_inside_right in J.
    apply Z.eqb_eq in A. unbind F. injection F as <- <-.
    pose proof (here_right _ _ _ _ _ _ S) as H.
    assert (bytes_at (memory s) (here s) 4 = firstn 4 (skipn (Z.to_nat (pc m)) code)) as W.
    { pose proof J as [J1 J2]. cbn [room fst snd] in J1, J2.
      rewrite H. replace (pc m) with (Z.of_nat (Z.to_nat (pc m))) at 1 by lia.
      apply bytes_at_list; [lia|]. intros k B.
      rewrite (code_kept _ _ _ R _ _ (frame _ _ _ _ _ _ S)) by lia.
      apply (code_is _ _ _ R), B. }
    assert (here s mod 4 = 0) as AL.
    { rewrite H, Z.add_mod, A by discriminate.
      pose proof (proj1 (entered_aligned _ _ _ R)) as AS.
      change (place c start Code) with (here start). rewrite AS. reflexivity. }
    unfold advance. rewrite AL, W, E. cbn [Z.eqb].
    eexists. split; [reflexivity|]. split; [|reflexivity].
    rewrite H. apply simulates_access; [|exact J].
    destruct S. constructor; auto. cbn [go with_pc here pc]. lia.
  Qed.

  Lemma entered_simulates hints v : good (entered_system c) v ->
    (forall r, denotes c start (entered_system c) v (entry_content c r) (registers start r)) ->
    (forall cell, In cell (entered_cells c) ->
      cell_right c code start (entered_system c) v (memory start) cell) ->
    sim v (entered hints) start.
  Proof.
    intros G F C. constructor; cbn [entered wds file cells zf cf pc seen]; auto.
    - intros u U. split; [exact (G u U)|].
      constructor; cbn [halves lows residues congruents named zeros made]; intros; contradiction.
    - apply (words_are _ _ _ R).
    - apply (bytes_are _ _ _ R).
    - exact I.
    - exact I.
    - cbn [place]. lia.
    - intros a o n [].
  Qed.
End Kernel.
