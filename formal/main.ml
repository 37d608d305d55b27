(* fieldc-certify: reads claims and certificates, and says of each whether the proved checker
   accepts it. Numbers are hexadecimal. This file and extraction are trusted for the claim: the
   operation, p, limbs, stack, convention and code. All else is only a proposal. *)

open Checker

exception Malformed of string

(* What a build may ask of a newer checker. *)
exception Unknown of string

let bits_of_digit c =
  let d =
    match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | _ -> raise (Malformed (Printf.sprintf "a digit %C" c))
  in
  List.map (fun k -> d lsr k land 1 = 1) [ 3; 2; 1; 0 ]

let z_of_hex text =
  let negative = String.length text > 0 && text.[0] = '-' in
  let text = if negative then String.sub text 1 (String.length text - 1) else text in
  if text = "" then raise (Malformed "an empty number");
  let shift p bit =
    match p with
    | None -> if bit then Some XH else None
    | Some p -> Some (if bit then XI p else XO p)
  in
  let digits p c = List.fold_left shift p (bits_of_digit c) in
  match String.fold_left digits None text with
  | None -> Z0
  | Some p -> if negative then Zneg p else Zpos p

let rec int_of_positive = function
  | XH -> 1
  | XO p -> 2 * int_of_positive p
  | XI p -> (2 * int_of_positive p) + 1

let hex_of_z z =
  let rec bits = function XH -> [ true ] | XO p -> false :: bits p | XI p -> true :: bits p in
  let rec digits = function
    | [] -> ""
    | a :: rest ->
        let take k l = match l with [] -> (0, []) | b :: r -> ((if b then k else 0), r) in
        let b, rest = take 2 rest in
        let c, rest = take 4 rest in
        let d, rest = take 8 rest in
        digits rest ^ Printf.sprintf "%x" ((if a then 1 else 0) + b + c + d)
  in
  match z with Z0 -> "0" | Zpos p -> digits (bits p) | Zneg p -> "-" ^ digits (bits p)

let rec nat_of_int n = if n <= 0 then O else S (nat_of_int (n - 1))

(* Tokens, and what is made of them. *)

let token () = Scanf.scanf " %s" (fun t -> t)

let number () =
  let text = token () in
  match int_of_string_opt ("0x" ^ text) with
  | Some n when n >= 0 && n < 1_000_000_000 -> n
  | _ -> raise (Malformed ("a small number " ^ text))

let z () = z_of_hex (token ())
let many read = List.init (number ()) (fun _ -> read ())

(* Bytes in one token: a point, then two digits for each. A section may have many. *)
let bytes () =
  let text = token () in
  let digits = String.length text - 1 in
  if digits < 0 || digits mod 2 = 1 || text.[0] <> '.' then raise (Malformed "bytes");
  List.init (digits / 2) (fun k -> z_of_hex (String.sub text ((2 * k) + 1) 2))

(* Variables and rows are counted from 0 in the certificate and from 1 in the proof. *)
let position () =
  match z_of_hex (Printf.sprintf "%x" (number () + 1)) with
  | Zpos p -> p
  | _ -> raise (Malformed "a position")

let natural () = nat_of_int (number ())
let flags () = many (fun () -> let x = position () in (x, z ()))
let monomial () = many position
let polynomial () = many (fun () -> let c = z () in (c, monomial ()))
let combination () = many (fun () -> let k = position () in (k, polynomial ()))

let bounding () =
  let bound_scale = z () in
  let bound_rows = combination () in
  let slope () = let c = z () in let q = many natural in ((c, q), monomial ()) in
  { bound_scale; bound_rows; bound_slopes = many slope }

let fact () =
  match token () with
  | "bound" -> let x = position () in let c = z () in ByBound (x, c, bounding ())
  | "between" ->
      let x = position () in
      let c = z () in
      let least = bounding () in
      Between (x, c, least, bounding ())
  | "residue" -> let x = position () in let c = z () in ByResidue (x, c, combination ())
  | other -> raise (Malformed ("a fact " ^ other))

let case () =
  match token () with
  | "proved" ->
      let result = natural () in
      let flags = flags () in
      let facts = many fact in
      let unit = z () in
      let inverse = z () in
      let identity = combination () in
      Proved (result, flags, facts, unit, inverse, identity, bounding ())
  | "excluded" ->
      let others = flags () in
      let flag = position () in
      let value = z () in
      Excluded (others, flag, value, bounding ())
  | other -> raise (Malformed ("a case " ^ other))

let equality () =
  let equal_word = position () in
  let equal_value = polynomial () in
  let cut = match flags () with [] -> None | cut :: _ -> Some cut in
  let no_more = bounding () in
  { equal_word; equal_value; cut; no_more; no_less = bounding () }

(* A number between operands and result: words that hold it, what it is below, and that proved; or
   what its expression says. *)
let proposal () =
  match token () with
  | "words" ->
      let first = many equality in
      let words = many position in
      let below = z () in
      Words (first, words, below, many case)
  | "written" -> Written
  | other -> raise (Malformed ("a number " ^ other))

let certificate () =
  let proposals = many proposal in
  let equalities = many equality in
  { proposals; equalities; cases = many case }

(* The operation, by its family and the numbers that choose one of its functions. *)
let operation () =
  let family = token () in
  let parameters = many (fun () -> let name = token () in (name, z ())) in
  let lazily = List.mem_assoc "lazy" parameters in
  let small = function
    | Z0 -> 0
    | Zpos p when String.length (hex_of_z (Zpos p)) < 5 -> int_of_positive p
    | _ -> raise (Malformed "a parameter")
  in
  (* A lazy operand is below so many times what it is below otherwise. *)
  let multiple () = z_of_hex (Printf.sprintf "%x" (small (List.assoc "lazy" parameters) + 1)) in
  let count = function Zpos p -> nat_of_int (int_of_positive p) | _ -> raise (Malformed "count") in
  let only_twice chosen =
    if lazily && List.assoc "lazy" parameters <> Zpos XH then raise (Malformed "lazy");
    (chosen, lazily)
  in
  match (family, List.remove_assoc "lazy" parameters) with
  | "redc", [] when lazily -> (WideReduction (multiple ()), false)
  | "fp2_mul_wide", [] when lazily -> (WideProduct (multiple ()), false)
  | "wide_sum", [ ("plus", a); ("minus", b) ] when not lazily ->
      (WideSum (nat_of_int (small a), nat_of_int (small b)), false)
  | simple -> only_twice @@
    match simple with
    | "add", [] -> Addition
    | "sub", [] -> Subtraction
    | "neg", [] -> Negation
    | "double", [] -> Doubling
    | "mul", [] -> Multiplication true
    | "mul_plain", [] -> Multiplication false
    | "square", [] -> Squaring true
    | "square_plain", [] -> Squaring false
    | "mul_add", [] -> MultiplyAdd
    | "redc", [] -> Reduction true
    | "reduce", [] -> Reduction false
    | "to_montgomery", [] -> ToMontgomery
    | "from_montgomery", [] -> FromMontgomery
    | "mul_by", [ ("factor", k) ] -> MultiplyBy k
    | "sum_of_products", [ ("count", k) ] -> SumOfProducts (true, count k)
    | "sum_of_products_plain", [ ("count", k) ] -> SumOfProducts (false, count k)
    | "difference_of_products", [] -> DifferenceOfProducts
    | "fp2_mul", [ ("beta", k) ] -> Fp2Multiplication k
    | "fp2_square", [ ("beta", k) ] -> Fp2Squaring k
    | "square_times", [ ("squarings", k) ] -> RepeatedSquaring (count k)
    | "mul_u64", [] -> MultiplyByWords (nat_of_int 1)
    | "divstep_update", [] -> DivstepUpdate
    | "mul_u128", [] -> MultiplyByWords (nat_of_int 2)
    | _ -> raise (Unknown ("the operation " ^ family))

(* A convention is one of an architecture. *)
type calling =
  | X86_64 of OfX86_64.convention
  | AArch64 of OfAArch64.convention

let convention () =
  match token () with
  | "sysv" -> X86_64 ForX86_64.system_v
  | "win64" -> X86_64 ForX86_64.windows
  | "aapcs64" -> AArch64 ForAArch64.aapcs64
  | "apple" -> AArch64 ForAArch64.apple
  | "windows" -> AArch64 ForAArch64.windows
  | other -> raise (Unknown ("the convention " ^ other))

(* Products by constants, that choose between rows: the word, its factor, the constant. *)
let hint () = let x = position () in let f = z () in ((x, f), z ())

let claim () =
  let operation, lazily = operation () in
  let p = z () in
  let limbs = natural () in
  let stack = z () in
  let calling = convention () in
  let code = bytes () in
  match calling with
  | X86_64 calling ->
      let contract = ForX86_64.contract_of operation p limbs lazily stack calling in
      ForX86_64.check contract code (certificate ())
  | AArch64 calling ->
      let hints = many hint in
      let contract = ForAArch64.contract_of operation p limbs lazily stack calling in
      ForAArch64.check hints contract code (certificate ())

(* A user's formula. The inverse of R is only a proposal: the checker multiplies it by R. *)

let size () =
  let multiple = z () in
  let powers = natural () in
  let bits = z () in
  match number () with
  | (0 | 1) as sign -> { multiple; powers; bits; has_sign = sign = 1 }
  | _ -> raise (Malformed "a size")

let formula_step () =
  let two make = let i = natural () in make i (natural ()) in
  match token () with
  | "add" -> two (fun i j -> Added (i, j))
  | "sub" -> two (fun i j -> Subtracted (i, j))
  | "mul" -> two (fun i j -> Multiplied (i, j))
  | "times" -> two (fun i j -> Product (i, j))
  | "scale" -> let i = natural () in Scaled (i, z ())
  | "constant" -> Constant (z ())
  | "divide" -> Divided (natural ())
  | other -> raise (Unknown ("the step " ^ other))

let statement () =
  let shape () = let count = natural () in (count, size ()) in
  let shapes = many shape in
  let steps = many formula_step in
  let outcomes = many natural in
  { shapes; steps; outcomes; outcome = size () }

let formula_claim () =
  let formula = statement () in
  let p = z () in
  let limbs = natural () in
  let stack = z () in
  let calling = convention () in
  let code = bytes () in
  let inverse = z () in
  match calling with
  | X86_64 calling ->
      ForX86_64.check_formula p limbs formula inverse stack calling code (certificate ())
  | AArch64 calling ->
      let hints = many hint in
      ForAArch64.check_formula hints p limbs formula inverse stack calling code (certificate ())

(* A formula that calls routines. Their statements and places are only proposals: the checker
   verifies each for the bytes there. *)

let x86_64_routine () =
  let place_in_code = z () in
  let statement = statement () in
  let own_stack = z () in
  let own_certificate = certificate () in
  { CheckingX86_64.place_in_code; statement; own_stack; own_choices = (); own_certificate }

let aarch64_routine () =
  let place_in_code = z () in
  let statement = statement () in
  let own_stack = z () in
  let own_choices = many hint in
  let own_certificate = certificate () in
  { CheckingAArch64.place_in_code; statement; own_stack; own_choices; own_certificate }

let calls_claim () =
  let formula = statement () in
  let p = z () in
  let limbs = natural () in
  let stack = z () in
  let calling = convention () in
  let code = bytes () in
  let inverse = z () in
  match calling with
  | X86_64 calling ->
      ForX86_64.check_calls p limbs formula inverse stack calling code (many x86_64_routine)
  | AArch64 calling ->
      ForAArch64.check_calls p limbs formula inverse stack calling code (many aarch64_routine)

(* Steps of a processor, to compare them with a real one. Given are registers in the order of their
   numbers, flags, where the next instruction lies, bytes of memory, how many steps, and which bytes
   to show. Printed are registers, flags (`-` if undefined), the place, and these bytes. *)

let given_memory () =
  let bytes = Hashtbl.create 64 in
  let fill () = let a = token () in Hashtbl.replace bytes a (z ()) in
  ignore (many fill);
  fun a -> Option.value (Hashtbl.find_opt bytes (hex_of_z a)) ~default:Z0

let run_and_show advance show state =
  let steps = number () in
  let shown = many z in
  let rec go n s = if n = 0 then Some s else Option.bind (advance s) (go (n - 1)) in
  match go steps state with
  | None -> "undefined"
  | Some s -> String.concat " " (show s shown)

let flag () = number () = 1
let shown_flag = function None -> "-" | Some b -> if b then "1" else "0"

let step () =
  let open X86_64 in
  let all =
    [ RAX; RCX; RDX; RBX; RSP; RBP; RSI; RDI; R8; R9; R10; R11; R12; R13; R14; R15 ]
  in
  let words = List.map (fun r -> (r, z ())) all in
  let carry = Some (flag ()) in
  let overflow = Some (flag ()) in
  let here = z () in
  let registers r = List.assoc r words in
  let state = { registers; carry; overflow; memory = given_memory (); here; trace = [] } in
  let show s shown =
    List.map (fun r -> hex_of_z (s.registers r)) all
    @ [ shown_flag s.carry; shown_flag s.overflow; hex_of_z s.here ]
    @ List.map (fun a -> hex_of_z (s.memory a)) shown
  in
  run_and_show ForX86_64.advance show state

let aarch64_step () =
  let open AArch64 in
  let all =
    [ X0; X1; X2; X3; X4; X5; X6; X7; X8; X9; X10; X11; X12; X13; X14; X15; X16; X17; X18; X19; X20;
      X21; X22; X23; X24; X25; X26; X27; X28; X29; X30; SP ]
  in
  let words = List.map (fun r -> (r, z ())) all in
  let negative = flag () in
  let zero = flag () in
  let carry = flag () in
  let flags = { negative; zero; carry; overflow = flag () } in
  let here = z () in
  let registers r = List.assoc r words in
  let state = { registers; flags; memory = given_memory (); here; trace = [] } in
  let show s shown =
    let f = s.flags in
    List.map (fun r -> hex_of_z (s.registers r)) all
    @ List.map (fun b -> shown_flag (Some b)) [ f.negative; f.zero; f.carry; f.overflow ]
    @ [ hex_of_z s.here ]
    @ List.map (fun a -> hex_of_z (s.memory a)) shown
  in
  run_and_show ForAArch64.advance show state

let () =
  let rec loop () =
    match token () with
    | "" -> ()
    | "claim" -> print_endline (if claim () then "accepted" else "refused"); loop ()
    | "formula" -> print_endline (if formula_claim () then "accepted" else "refused"); loop ()
    | "calls" -> print_endline (if calls_claim () then "accepted" else "refused"); loop ()
    | "step" -> print_endline (step ()); loop ()
    | "aarch64-step" -> print_endline (aarch64_step ()); loop ()
    | other -> raise (Malformed other)
  in
  try loop () with
  | Unknown what -> prerr_endline ("fieldc-certify: it does not know " ^ what); exit 3
  | Malformed what -> prerr_endline ("fieldc-certify: cannot read " ^ what); exit 2
  | End_of_file -> prerr_endline "fieldc-certify: the input ends early"; exit 2
