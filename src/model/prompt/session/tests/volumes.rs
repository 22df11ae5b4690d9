//! Several volumes, one after the other.

use super::*;

fn question(volume: &str, is_optional: bool) -> Question {
    Question { volume: volume.into(), device: format!("UUID={volume}"), is_optional, ..Question::default() }
}

fn bench(first: Question, later: &[Question]) -> Bench {
    Bench::with(Config { question: first, later: later.iter().cloned().collect(), ..Bench::config() })
}

#[test]
fn one_prompt_opens_all_of_them() {
    let mut bench = bench(question("root", false), &[question("home", false)]).readied();
    bench.type_keys("abc");
    assert_eq!(bench.tap(Press::Enter), Some(Action::Unlock { length: 3 }));
    assert_eq!(bench.session.view().title, "Unlock root");
    assert_eq!(bench.open(), Some(Action::Next(None)));
    let view = bench.session.view();
    assert_eq!((view.title.as_str(), view.characters, view.working), ("Unlock home", 0, None));
    // What is typed before the volume is ready waits for it, as for the first.
    bench.type_keys("de");
    assert_eq!(bench.tap(Press::Enter), None);
    assert_eq!(bench.send(Event::Report(Report::Ready(Ready::default()))), Some(Action::Unlock { length: 2 }));
    assert_eq!(bench.open(), Some(Action::Finish(Ok(()))));
}

#[test]
fn tries_are_counted_for_each() {
    let mut bench = bench(question("root", false), &[question("home", false)]).readied();
    bench.type_keys("abc");
    bench.tap(Press::Enter);
    bench.fail(Failure::WrongPassphrase);
    assert!(bench.session.view().message.ends_with("2 tries left"));
    bench.open();
    let mut bench = bench.readied();
    assert_eq!(bench.session.view().message, "");
    bench.type_keys("abc");
    bench.tap(Press::Enter);
    bench.fail(Failure::WrongPassphrase);
    assert!(bench.session.view().message.ends_with("2 tries left"));
}

#[test]
fn what_is_not_needed_does_not_stop_the_others() {
    let passed = |exit, action: &str, text: String| Action::Next(Some(Error::new(exit, action, text)));
    let mut bench = bench(question("a", true), &[question("b", true), question("c", false)]);
    bench.fail(Failure::Missing);
    assert_eq!(bench.session.view().title, "Unlock a");
    assert_eq!(bench.pass(4000), [passed(Exit::Device, "unlock a", Failure::Missing.text())]);
    // Nor does one that nobody answers for.
    bench.session.config.question.timeout_ms = 9000;
    let mut bench = bench.readied();
    assert_eq!(bench.pass(9000), [passed(Exit::TimedOut, "unlock", "nobody answered in time".into())]);
    bench.fail(Failure::NotVolume);
    let [Action::Finish(Err(error))] = &bench.pass(4000)[..] else { panic!() };
    assert_eq!(error.to_string(), format!("unlock c: {}", Failure::NotVolume.text()));
}

#[test]
fn the_last_one_that_is_not_needed_ends_it_well() {
    let mut bench = bench(question("a", false), &[question("b", true)]);
    bench.open();
    bench.fail(Failure::Missing);
    assert_eq!(bench.pass(4000), [Action::Finish(Ok(()))]);
    let passed = bench.session.passed_over().unwrap();
    assert!(passed.exit() == Exit::Device && passed.to_string().starts_with("unlock b: "), "{passed}");
}

#[test]
fn somebody_else_opens_it_at_any_time() {
    for failure in [None, Some(Failure::Missing)] {
        let mut bench = bench(question("a", false), &[]);
        failure.into_iter().for_each(|failure| drop(bench.fail(failure)));
        assert_eq!(bench.open(), Some(Action::Finish(Ok(()))));
    }
    let mut bench = bench(question("a", false), &[]).readied();
    bench.type_keys("abc");
    assert_eq!(bench.open(), Some(Action::Finish(Ok(()))));
    assert_eq!(bench.characters(), 0);
}

#[test]
fn what_is_waited_for_is_named() {
    let mut bench = bench(question("root", false), &[]);
    bench.pass(400);
    assert_eq!(bench.session.view().message, "Waiting for UUID=root\u{2026}");
}

#[test]
fn a_lack_of_memory_is_told_before_anything_is_typed() {
    let ready = |memory_kib, free_kib| Ready { memory_kib, free_kib, ..Ready::default() };
    let told = |ready| {
        let mut bench = bench(question("root", false), &[]);
        bench.send(Event::Report(Report::Ready(ready)));
        bench.session.view().message
    };
    let short = told(ready(1 << 20, 630_000));
    assert!(short.contains("1.0 GiB") && short.contains("615 MiB"), "{short}");
    assert_eq!(told(ready(1 << 20, 1 << 21)), "");
    assert_eq!(told(ready(1 << 20, 0)), "");
}
