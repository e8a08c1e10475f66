import CommandRunning
import Foundation
import Testing

@Suite("The command", .timeLimit(.minutes(5)))
struct CommandTests {
    @Test(
        "a wrong setting is status 64, any other failure is 1, and both are told on standard error",
        arguments: [
            (["--prot", "1"], 64, "image-server: unknown setting: --prot; is it --port?\nTry --help.\n"),
            (["health", "--allow-unsigned", "true", "--socket", "/tmp/none"], 1, "image-server: "), (["--help"], 0, ""),
        ] as [([String], Int32, String)])
    func status(arguments: [String], status: Int32, errors: String) async throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "image-server")
        let result = try await CommandResult.run(program.path, arguments, input: Data())
        let written = String(decoding: result.errors, as: UTF8.self)
        #expect(result.status == status && written.hasPrefix(errors) && written.isEmpty == (status == 0))
        #expect(result.output.isEmpty == (status != 0))
    }
}
