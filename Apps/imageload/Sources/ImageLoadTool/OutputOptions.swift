import ArgumentParser

/// What a subcommand prints.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line to standard output.")
    var json = false

    @Flag(help: "Print only failures, and images or text that you ask for.")
    var quiet = false

    /// Prints a result as JSON or as text, unless `--quiet`.
    func print(_ value: some Encodable, text: @autoclosure () -> String?) throws {
        try print(value, lines: [text()].compactMap(\.self))
    }

    func print(_ value: some Encodable, lines: @autoclosure () -> [String]) throws {
        if json {
            Console.output(try value.json())
        } else if !quiet {
            Console.output(lines())
        }
    }
}
