(** What the checker needs of a processor's symbolic machine: the same of each processor.

    A symbolic machine is what is known of a state: of each register and of some words in memory.
    [simulates] says that it is true of a state. Nothing is assumed here: each processor's own files
    say what these names are, and prove what is said of them. *)

From Coq Require Import ZArith List.
From Fieldc Require Import Word Bytes Polynomial System Expression Processor Contract Areas Entry
  Verdict Formula.
Import ListNotations.
Open Scope Z_scope.

(** Where the run goes from an instruction. *)
Inductive turn := Onward | Calling | Returning.

Module Type Followed.
  Declare Module P : Processor.
  Module K := Formula.Make P.
  Import P K.

  (** ** The processor *)

  Parameter instruction : Type.
  Parameter turn_of : instruction -> turn.
  Parameter execute : instruction -> state -> option state.
  Parameter leave : state -> option state.       (* what a return does *)
  Parameter leave_right : forall i s, turn_of i = Returning -> execute i s = leave s.

  Parameter advance : state -> option state.
  Parameter run : nat -> state -> option state.
  Parameter run_none : forall s, run 0 s = Some s.
  Parameter run_more : forall n s,
    run (S n) s = match advance s with Some s' => run n s' | None => None end.

  Parameter all_registers : list register.
  Parameter position : register -> nat.
  Parameter position_right : forall r,
    (position r < length all_registers)%nat /\ nth_error all_registers (position r) = Some r.

  Parameter link_size_right : 0 <= link_size.

  (** ** The symbolic machine *)

  Parameter machine : Type.
  Parameter sys : machine -> system.
  Parameter file : machine -> register -> content.
  Parameter cells : machine -> list (area * Z * content).
  Parameter pc : machine -> Z.                        (* the next instruction's offset *)
  Parameter seen : machine -> list (area * Z * Z).

  (** The machine with a new system, registers, memory, place and accesses, and unknown flags. *)
  Parameter renewed : machine -> system -> (register -> content) -> list (area * Z * content) ->
    Z -> list (area * Z * Z) -> machine.

  Parameter stack_offset : machine -> option Z.
  Parameter may_enter : machine -> Z -> bool.         (* by the stack pointer's offset *)
  Parameter caller_of : machine -> Z -> option Z.     (* where entered code returns to *)

  (** Rows between which the certificate chooses: a processor may have none. *)
  Parameter choices : Type.
  Parameter no_choices : choices.
  Parameter entered : choices -> contract -> machine.

  Parameter fetch : contract -> list Z -> machine -> option (instruction * machine).
  Parameter step : contract -> list Z -> instruction -> machine -> option machine.
  Parameter return_to : contract -> list Z -> Z -> machine -> option machine.
  Parameter returns : contract -> list Z -> machine -> bool.
  Parameter seen_at_return : machine -> list (area * Z * Z).

  (** ** What is true of it *)

  Parameter simulates : contract -> list Z -> state -> valuation -> machine -> state -> Prop.

  Parameter good_sys : forall c code start v m s, simulates c code start v m s -> good (sys m) v.
  Parameter file_right : forall c code start v m s, simulates c code start v m s ->
    forall r, denotes c start (sys m) v (file m r) (registers s r).
  Parameter file_words : forall c code start v m s, simulates c code start v m s ->
    forall r, is_word (registers s r).
  Parameter cells_right : forall c code start v m s, simulates c code start v m s ->
    forall cell, In cell (cells m) -> cell_right c code start (sys m) v (memory s) cell.
  Parameter frame : forall c code start v m s, simulates c code start v m s ->
    forall a, ~ writable c code start a -> memory s a = memory start a.
  Parameter bytes : forall c code start v m s, simulates c code start v m s ->
    forall a, 0 <= memory s a < 256.
  Parameter here_right : forall c code start v m s, simulates c code start v m s ->
    here s = place c start Code + pc m.
  Parameter trace_right : forall c code start v m s, simulates c code start v m s ->
    trace s = map (access_at c start) (seen m) ++ trace start.
  Parameter seen_right : forall c code start v m s, simulates c code start v m s ->
    forall a o n, In (a, o, n) (seen m) -> inside c code a o n.

  Parameter simulates_agree : forall c code start v u m s, simulates c code start v m s ->
    agree (next (sys m)) v u -> simulates c code start u m s.

  Parameter renewed_right : forall c code start v m s s' v' f l a accesses last,
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
  Parameter renewed_sys : forall m s f l a e, sys (renewed m s f l a e) = s.
  Parameter renewed_cells : forall m s f l a e, cells (renewed m s f l a e) = l.

  Parameter stack_offset_right : forall c code start v m s o, simulates c code start v m s ->
    stack_offset m = Some o -> registers s stack_pointer = (place c start Stack + o) mod radix.
  Parameter may_enter_right : forall c code start v m s o, ready c code start ->
    simulates c code start v m s -> stack_offset m = Some o -> may_enter m o = true -> aligned s.
  Parameter caller_of_right : forall c code start v m s o a, ready c code start ->
    simulates c code start v m s -> stack_offset m = Some o -> caller_of m o = Some a ->
    inside c code Code a 1 -> registers s stack_pointer = place c start Stack + o ->
    return_address s = place c start Code + a.

  Parameter fetch_right : forall c code start v m s i m1, ready c code start ->
    fetch c code m = Some (i, m1) -> simulates c code start v m s ->
    exists s1, advance s = execute i s1 /\ simulates c code start v m1 s1 /\ sys m1 = sys m.

  Definition stands_for c code start (m m' : machine) (v : valuation) (s : option state) : Prop :=
    exists s' v', s = Some s' /\ simulates c code start v' m' s' /\ extends (sys m) v (sys m') v'.

  Parameter step_right : forall c code start i m m' v s, ready c code start ->
    step c code i m = Some m' -> simulates c code start v m s ->
    stands_for c code start m m' v (execute i s).
  Parameter return_right : forall c code start caller m m' v s, ready c code start ->
    return_to c code caller m = Some m' -> simulates c code start v m s ->
    stands_for c code start m m' v (leave s).
  Parameter return_keeps : forall c code start v m s, ready c code start ->
    simulates c code start v m s -> returns c code m = true ->
    exists last, leave s = Some last /\ memory last = memory s /\ proper last /\
      (function_kept c start last -> done c code (seen_at_return m) start last).

  Parameter entered_simulates : forall h c code start v, ready c code start ->
    good (entered_system c) v ->
    (forall r, denotes c start (entered_system c) v (entry_content c r) (registers start r)) ->
    (forall cell, In cell (entered_cells c) ->
      cell_right c code start (entered_system c) v (memory start) cell) ->
    simulates c code start v (entered h c) start.
  Parameter entered_sys : forall h c, sys (entered h c) = entered_system c.
  Parameter entered_cells_are : forall h c, cells (entered h c) = entered_cells c.
End Followed.
