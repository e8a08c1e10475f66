import Foundation
import ImageCore
import Logging

/// The parts of an image service. Replace any of them in tests.
struct ImageServiceParts: Sendable {
    /// Parses and verifies paths.
    var parser: CurrentParser
    /// Decide about sources by their URLs.
    var originRules: OriginRules
    /// Loads originals.
    var loader: any ImageLoaderProtocol
    /// The header fields of clients that are sent to origins.
    var forwarding = ForwardedFields()
    /// Returns the number of origins that get no requests, because they could not be reached.
    var unavailableOriginCount: @Sendable () -> Int = { 0 }
    /// The time for which such an origin gets none.
    var originPause = Duration.seconds(5)
    /// Removes the stored original of a URL.
    var removeOrigin: @Sendable (URL) async -> Void = { _ in }
    /// Decodes, processes and encodes.
    var renderer: ImageRenderer
    /// Which formats results can have beside that of the URL.
    var formats = FormatRules()
    /// Whether hints of clients are defaults of options.
    var usesClientHints = false
    /// Whether the Priority of a client makes results progressive.
    var usesPriority = false
    /// The image that `watermark` draws; nil if there is none.
    var watermark: Watermark?
    /// The opacity of watermarks that URLs name, from 0 to 1.
    var watermarkOpacity = 1.0
    /// Decides when renderings start.
    var scheduler: any WorkScheduler
    /// Stores results.
    var cache: ResultCache
    /// What was purged.
    var purges: Purges
    /// The image in place of sources that can't be loaded.
    var fallback: FallbackImage?
    /// A text that differs between servers whose settings make other results.
    var settingsKey = ""
    /// Lets one of several servers render a result.
    var lease: any RenderingLease = NoLease()
    /// Bounds the renderings in progress: download, decode and encoding.
    var gate: AdmissionGate
    /// Lets origins take turns at the decoders. It refuses nothing, because the gate bounds what waits.
    var decoders: AdmissionGate
    /// The bounds of the lifetime of results.
    var bounds = LifetimeBounds()
    /// The longest time for a request.
    var timeLimit = Duration.seconds(30)
    /// Measures time.
    var clock: any Clock<Duration>
    /// Returns the current time.
    var now: @Sendable () -> Date
    /// Makes the spans of requests and of their stages.
    var tracer = ServerTracer(now: { Date() })
    /// Keeps the metrics.
    var metrics = PrometheusMetrics()
    /// Receives what is left out of results.
    var logger = Logger(label: "image-server") { _ in SwiftLogNoOpLogHandler() }
}
