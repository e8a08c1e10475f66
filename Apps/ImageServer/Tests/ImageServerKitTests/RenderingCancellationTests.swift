import Foundation
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite("Ending renderings that nobody waits for") struct RenderingCancellationTests {
    /// Runs work in a task that is cancelled before, and returns its failure.
    private func failure(_ work: @escaping @Sendable () throws -> Void) async -> RenderingFailure? {
        let gate = TestGate()
        let task = Task { () -> RenderingFailure? in
            await gate.pass()
            do {
                try work()
                return nil
            } catch {
                return error as? RenderingFailure
            }
        }
        task.cancel()
        gate.open()
        return await task.value
    }

    @Test("an encoder ends", arguments: ["jpg", "png", "webp", "gif", "webp/mb:1"])
    func encoders(options: String) async throws {
        let source = try SampleImages.jpeg(200, 100)
        _ = try renderImage(source, "f:\(options)")
        for source in [source, try SampleImages.gif(frames: 3)] {
            #expect(await failure { _ = try renderImage(source, "f:\(options)") } == .cancelled)
        }
    }

    @Test("a processor ends", arguments: ["bl:3", "pix:4", "rot:90", "w:20", "c:10:10", "pd:5/bg:255:0:0"])
    func processors(options: String) async throws {
        let options = try ProcessingOptions.parsed(options)
        let header = try SampleImages.decoder().header(of: try SampleImages.png())
        let output = try #require(OutputFormats.output(for: .png))
        let job = RenderingJob(
            plan: RenderingPlan(header, options), options: options, output: output, quality: 80,
            limits: RenderingLimits(), watch: Stopwatch(ManualClock()))
        _ = try job.process(SampleImages.bitmap(80, 40))
        #expect(await failure { _ = try job.process(SampleImages.bitmap(80, 40)) } == .cancelled)
    }
}
