import Foundation
import ImageCore
import ImageObserving
import ImageTesting
import Testing
import os

@Suite("Signposts")
struct SignpostTests {
    @Test("a request and its stages are intervals, which end with it, even if recording has stopped")
    func intervals() throws {
        let recorder = RecordingObserver()
        let observer = SignpostObserver(
            OSSignposter(subsystem: "test", category: .pointsOfInterest), next: recorder)
        let url = try #require(URL(string: "https://user@example.com/a.jpg?token=1"))
        let kinds: [ImageLoadEvent.Kind] = [
            .started, .diskMiss(.absent), .queued(.download), .downloadStarted, .failed(.notFound),
        ]
        for kind in kinds + [.downloadFinished(bytes: 1)] {
            observer.handle(ImageLoadEvent(requestID: 1, url: url, kind: kind))
        }
        #expect(
            SignpostStub.takeLog() == [
                "begin request https://example.com/a.jpg", "begin lookup", "end lookup", "begin queue", "end queue",
                "begin download", "end download", "end request failed",
            ])
        #expect(recorder.events.count == kinds.count + 1)

        observer.handle(ImageLoadEvent(requestID: 2, url: url, kind: .started))
        SignpostStub.isRecording.withLock { $0 = false }
        defer { SignpostStub.isRecording.withLock { $0 = true } }
        observer.handle(ImageLoadEvent(requestID: 2, url: url, kind: .cancelled))
        observer.handle(ImageLoadEvent(requestID: 3, url: url, kind: .started))
        #expect(
            SignpostStub.takeLog() == [
                "begin request https://example.com/a.jpg", "begin lookup", "end lookup", "end request cancelled",
            ])
    }
}
